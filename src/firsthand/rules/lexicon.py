"""Ordinary English words, so that a capital at the start of a sentence is not taken for a name."""

from functools import lru_cache
from typing import Final

# Never a name, wherever it stands and however it is written: function words, greetings, interjections, days, months.
_NEVER: Final = """
a aaah about above according across actually afaik after again against ago ah aha ahem ahh ain albeit all almost along
alongside already alright also although always am amid among an and another any anybody anyhow anymore anyone anything
anytime anyway anyways anywhere apr april are aren argh around as asap aside at aug august aunt auntie aw away awesome
awhile aww aye babe back bah basically be because been before beforehand behind being below beneath beside besides
between beyond bless both brb bro btw buddy but by bye can cannot cause certainly cheers congrats congratulations cos
could couldn cuz dad daddy damn dang daren dear dec december definitely despite did didn diy do does doesn doing don
done down dude due dunno during each eek eg eh either else elsewhere enough er especially etc even eventually ever
every everybody everyone everything everywhere exactly except faq feb february few fewer finally first firstly fixme
for former fortunately fri friday from further furthermore fyi gee generally gimme given god gonna goodbye goodnight
gosh gotcha gotta grandma grandpa granny guys ha had hadn hah haha hahaha half hardly has hasn have haven having hbu
he heck hello hence her here hers herself hey heya hi him himself his hiya hm hmm hmmm hmmmm honey hooray hopefully
how howdy however huh hun hurray i idk ie if im imho imo in indeed instead into irl is isn it its itself jan january
jesus jul july jun june just kinda last lastly lately later latter least lemme less lest let lets likewise literally
lmao lol lord lots lotsa luckily madam many mar march mate may maybe me meanwhile meh might mine miss mom mommy mon
monday more moreover most mostly mr mrs ms much mum mummy must mustn my myself nah namely naturally nb near nearly
needn neither never nevertheless next ngl nice no nobody none nonetheless noone nope nor not nothing notwithstanding
nov november now nowadays nowhere nuh nvm obviously oct october of off oh ohh ok okay okey omg omw on once one ones
oneself only onto oof ooh oops or other others otherwise ouch ought our ours ourselves out outside outta over owing
own oww pal particularly per perhaps phew please plus pm pretty previously probably provided ps quite rather re really
recently regarding regardless right rip sadly same sat saturday second secondly seldom sep sept september several
shall shan she should shouldn similarly since sir smh so some somebody somehow someone something sometime sometimes
somewhat somewhere soon sorry sorta still such sun sunday sup sure surely ta tbh tgif thank thanks that the their
theirs them themselves then thence there thereby therefore these they thirdly this tho those though through throughout
thru thu thur thurs thursday thus thx till tldr to today todo together tomorrow tonight too toward towards truly ttyl
tue tues tuesday ty ugh uh uh-huh um umm uncle under underneath unfortunately unless unlike until unto up upon upwards
us usually very via voila vs wanna was wasn wbu we wed wednesday welcome well were weren what whatever when whence
whenever where whereas whereby wherever whether whew which whichever while whilst who whoa whoever whole whom whomever
whose why with within without woah won wonderful woo woohoo would wouldn wow wowza wtf xoxo ya yay yea yeah yeahh yep
yes yesterday yet yikes yo you your yours yourself yourselves yum yummy yup
"""

# A name only if it stands inside a sentence: at the start of one, the capital means nothing.
_ORDINARY: Final = """
ability able absolute absolutely accept access accident account achieve act action active activity actual add added
addition address admire adopt adult adventure advice afternoon age agent agree agreed aim air alarm alive allow alone
alter amaze amazing ambition amount analysis ancient anger angry animal anniversary annual answer anxiety apart
apartment apologies app apparently appear apple application apply appreciate approach area argue arm army arrange
arrive art article artist ask assume ate attempt attend attention author available average avoid award aware baby
background bad bag bake ball band bank bar barely base basic basket basketball bath battle beach bear beautiful beauty
become bed been beer began begin being belief believe believing belong best bet better big bike bill billion bird
birth birthday bit bite black block blog blood blow blue board boat body bold bone book border boring born borrow boss
bother bottle bottom bought box boy brain branch brave bread break breakfast breathe bridge brief bright brilliant
bring broke broken brother brought brown brush budget bug build building built bunch burn bus business busy buy cake
call calm came camera camp campaign cancel cancer car card care career careful carry case cat catch caught celebrate
center central century chair challenge chance change changed character charge charity chat cheap check cheese chef
cherish chicken child childhood children chill chip chocolate choice choose chose church city claim class classic
clean clear clearly clever click client climate climb clinic clock close cloth clothes cloud club coach coast code
coffee cold collect college color colour combine come comfort comment commit common community company compare complete
completely computer concept concern concert condition confident confirm connect consider consistency consistent
contact contain content context continue control conversation cook cool copy core correct cost cough count country
couple courage course cousin cover cozy craft crash crazy create creative creativity credit crew cross crowd cry
culture cup cure curious current currently customer cut cute cycle daily dance dancing danger dark data date daughter
day deadline deal death debate debug decide decision decorate deep def default delete delicious deliver depend deploy
describe deserve design desk detail develop device diet different difficult dig dinner direct direction director
discover discuss discussion disease dish distance diverse doctor document dog donate done door double doubt downtown
draft drama drank draw dream dress drew drink drive driver drop dry duty earlier early earn earth ease easily east
easy eat economy edge edit education effect effort egg eight electric eleven email embrace emergency emotion employ
empty encourage end energy engage engine engineer enjoy enter entire entirely environment epic equal equip error
escape essay event everyday evidence evil evolve exact exam example excellent exchange excited exciting excuse
exercise exist expect expensive experience expert explain explore express extra eye fabulous face fact factor fail
fair faith fall false familiar family famous fan fancy fantastic far farm fascinate fashion fast father favorite
favourite fear feature feed feedback feel feeling felt female fever field fight figure file fill film final financial
find fine finger finish fire firm fish fit five fix fixed flag flat flew flight floor flow flower fly focus folk folks
follow food foot football force foreign forest forever forget forgive form forward found four free freedom fresh
friend friendly friends friendship from front fruit full fully fun function fund funny future gain game games gaming
garden gather gave gay general generate gentle genuine get getting gift girl give glad glass global go goal going gold
golden gone good gorgeous got government grab grace grade gradual grand grandfather grandmother grant graph grateful
gratitude great green greet grew group grow growth guess guest guide guitar gun guy guys gym habit hair hand handle
hang happen happily happiness happy hard harm hat hate haul having head heal health healthy hear heard heart heat
heavy height help helpful hero hidden hide high highlight hike hiking history hit hobbies hobby hold hole holiday home
honest honestly honor hope horrible horse hospital host hot hotel hour house huge human humor hundred hunt hurry hurt
husband ice idea ideal identify ignore ill illness image imagine immediate impact implement import important impress
impressive improve include incredible incredibly individual industry influence info inform information initial
initially inner insert insight inspire inspiring install instance instant intense interest interesting internal
internet interview introduce invest invite involve island issue item jacket job join joke journal journey joy judge
juice jump junior keen keep keeping kept key kick kid kids kill kind kindness king kitchen kitten knee knew knock know
knowledge lab labor lack lady lake land language laptop large late latest laugh launch law lawyer lay lead leader leaf
learn leave left leg legal lesson letter level library license lie life lift light like likely limit line link lion
list listen little live living load loan local lock log logic lonely long look looks lose loss lost loud love lovely
low loyal luck lucky lunch machine made magic mail main maintain major make making male man manage manager map mark
market marriage marry master match material math matter meal mean means measure meat media medical medicine meditation
meet meeting member memory men mental mention merge merry mess message met metal method middle mile milk million mind
mindfulness mine minor minute mirror mission mistake mix mode model modern moment money month mood moon moral morning
mother motivation mountain mouse mouth move movie museum music name narrow nation national natural nature necessary
neck need negative neighbor nerve network new news nicely night nine noise normal north nose note notes notice novel
nurse object observe occasionally ocean odd offer office officer official often oil old older online open opening
operate opinion opportunity option orange order ordinary organic organize original originally outdoor outstanding
owner pack page pain paint painting pair paper parent parents park part partner party pass passion past path patience
patient pause pay peace people perfect perfectly perform period permanent person personal personally pet phone photo
photography phrase physical piano pic pick picture piece pink pizza place plan plane plant plate play player pleasant
pleased pleasure plenty poem poet poetry point police policy polite political pool poor pop popular port positive
possible possibly post pot potential pottery pound power powerful practical practice praise pray prefer prepare
present presentation press pressure prevent price pride prime print priority prison private prize problem process
produce product profession professional profile program progress project promise promote proof proper props protect
proud prove provide public pull pumpkin puppy pure purple purpose push put quality quarter queen query question quick
quickly quiet quit quote race rain raise ran random range rare rarely rate reach react read reader ready real
realistic reality realize reason receive recent recipe recognize recommend record recover red reduce reflect
reflection refresh refuse regular relate relationship relax release relief religion rely remain remember remind remote
remove removed rename rent repair repeat replace reply report request research reserve respect respond rest restaurant
result retire return returns reveal review reward rice rich ride ring rise risk river road rock role roll room root
rough round route row royal ruin rule run running rush sad safe safety sail salad sale salt sample sand sang sat save
saw say scary scene schedule school science scientist score screen sea search season seat secret section secure see
seeing seek seem seems seen select self sell send senior sense sent sentence separate series serious seriously serve
service session set settle setup seven sex shade shake shape share shared sharing sharp sheet shelf shift shine ship
shirt shoe shoot shop shopping short shot shoulder show shower shut sick side sight sign signal silence silver similar
simple simply sing singer single sister sit site situation six size skill skin sky sleep slept slice slow slowly small
smart smell smile smoke smooth snack snow soccer social society soft software solid solo solution solve son song sort
soul sound sounds soup source south space speak speaker special specific speech speed spend spent spirit split spoke
sport sports spot spread spring square staff stage stair stand standard star start state statement station stay steak
steal step stick stomach stone stood stop store storm story straight strange stranger strategy stream street strength
stress stretch strike string strong structure struggle student studio study stuff stunning stupid style subject
success successful suddenly suffer sugar suggest suit summary summer sunrise sunset super supply support supportive
supposed surf surface surprise surprisingly survey survive swam sweet swim switch symbol system table take taking tale
talent talk tall tap target task taste taught tax tea teach teacher team tear technically technique technology teen
tell ten term terrible test tests text theater theme therapy thing things think third thought thoughts thousand three
throw thumbs ticket tie tight time times tiny tip tire title toast told took topic total totally touch tough tour
tournament town toy track trade tradition traffic trail train training travel treasure treat tree trial trick trip
trouble truck true trust truth try trying turn turns tv twelve twenty twice two type typical typically ugly ultimate
ultimately unbelievable uncertain understand understood unique unit universe university unreal update updated upgrade
upload upset use used useful user usual vacation valid valley valuable value van variety various vast vegan verify
version vibe video view village violence vision visit visual vital voice volunteer vote wait wake walk wall want war
warm warn warning wash waste watch water wave way weak wealth wear weather web website wedding week weekend weekly
weigh weight weird went west wet wheel white wide wife wild will willing win wind window wine wing winner winter
wisdom wise wish woke woman women won wonder wood word words wore work worker workout workshop world worry worse worst
worth wrap write writer writing wrong wrote yard year yeast yellow yoga young youth zone zoo
"""

_PARTICLES: Final = "van von der den de del della di da du la le las los of the bin ibn al y e dos das"

# Ordinary words with which many names of places and works begin: New York, Great Lakes.
_OPENERS: Final = """
new great old north south east west red black blue green white golden grand lake mount port saint st san santa los las
el la le united national central royal little big high upper lower long fort cape river silver star stone king queen
"""

OPENERS: Final = frozenset(_OPENERS.split())
PARTICLES: Final = frozenset(_PARTICLES.split())
NEVER: Final = frozenset(_NEVER.split())
ORDINARY: Final = frozenset(_ORDINARY.split())
_ENDINGS: Final = (
    "ing",
    "ness",
    "ment",
    "tion",
    "tions",
    "ously",
    "able",
    "ible",
    "ful",
    "less",
    "ally",
    "ily",
    "fully",
)
_INFLECTIONS: Final = (
    "s",
    "es",
    "d",
    "ed",
    "r",
    "er",
    "rs",
    "ers",
    "st",
    "est",
    "ly",
    "y",
    "ies",
    "ied",
    "n",
    "ping",
    "ting",
)


@lru_cache(maxsize=4096)
def is_ordinary(word: str) -> bool:
    """Say whether a lower-case word is one that any sentence may begin with, in any of its forms."""
    if word in ORDINARY or word in NEVER:
        return True
    if len(word) > 5 and word.endswith(_ENDINGS):
        return True
    return any(
        word.endswith(ending) and ((stem := word[: -len(ending)]) in ORDINARY or f"{stem}y" in ORDINARY)
        for ending in _INFLECTIONS
    )
