"""English word lists that the term rule reads: words too common to index, and irregular forms."""

from types import MappingProxyType

_STOP = """
    a an the this that these those such same other another each every either neither both
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    one ones someone somebody something anyone anybody anything everyone everybody everything
    who whom whose which what when where why how whatever whichever whoever whenever wherever
    am is are was were be been being do does did doing done have has had having
    can could shall should will would may might must ought cannot
    not no nor none never yes ok okay oh hey hi hello yeah yep wow
    and or but if then else than so because as until while although though unless whether
    of at by for with about against between into through during before after above below
    to from up down in out on off over under again further once upon within without toward towards
    here there now just only also too very really quite rather even still yet already ever
    all any some few more most many much less least several own
    don didn doesn isn aren wasn weren hasn haven hadn wouldn couldn shouldn ain mustn
    dont didnt doesnt isnt arent wasnt werent hasnt havent hadnt wont wouldnt couldnt shouldnt cant
    im ive youre youve hes shes theyre theyve thats whats lets s t d ll m re ve
"""

_IRREGULAR = """
    arise arose arisen; awake awoke awoken; bear bore borne; beat beaten; become became; begin began begun;
    bend bent; bet; bind bound; bite bit bitten; bleed bled; blow blew blown; break broke broken; breed bred;
    bring brought; build built; burn burnt; buy bought; catch caught; choose chose chosen; cling clung; come came;
    creep crept; deal dealt; dig dug; draw drew drawn; dream dreamt; drink drank drunk; drive drove driven;
    eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; find found; flee fled; fly flew flown;
    forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen;
    get got gotten; give gave given; go went gone goes; grind ground; grow grew grown; hang hung; hear heard;
    hide hid hidden; hold held; keep kept; kneel knelt; know knew known; lay laid; lead led; lean leant;
    learn learnt; leave left; lend lent; lie lain; light lit; lose lost; make made; mean meant; meet met;
    mistake mistook mistaken; overcome overcame; pay paid; prove proven; quit; ride rode ridden; ring rang rung;
    rise rose risen; run ran; say said; see saw seen; seek sought; sell sold; send sent; sew sewn;
    shake shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung; sink sank sunk;
    sit sat; sleep slept; slide slid; speak spoke spoken; speed sped; spell spelt; spend spent; spill spilt;
    spin spun; spoil spoilt; stand stood; steal stole stolen; stick stuck; sting stung; strike struck; strive strove;
    swear swore sworn; sweep swept; swim swam swum; swing swung; take took taken; teach taught; tear tore torn;
    tell told; think thought; throw threw thrown; understand understood; undertake undertook; wake woke woken;
    wear wore worn; weave wove woven; weep wept; win won; wind wound; withdraw withdrew withdrawn; write wrote written;
    child children; man men; woman women; person people; foot feet; tooth teeth; mouse mice; goose geese;
    wife wives; knife knives; shelf shelves; half halves; wolf wolves; loaf loaves;
    good better best; bad worse worst; far further furthest farther
"""

STOP_WORDS = frozenset(_STOP.split())
"""Words too common to tell one text from another; "won" and "ill" are left out, for they are words of their own."""


def _read(table: str) -> dict[str, str]:
    rows = (row.split() for row in table.split(";"))
    return {form: base for base, *forms in rows for form in forms if form not in STOP_WORDS}


IRREGULAR_FORMS = MappingProxyType(_read(_IRREGULAR))
"""Inflected form to base form, for the words whose stem an ending rule cannot find ("went" to "go")."""
