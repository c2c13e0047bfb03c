"""Ordinary English words, so that a capital at the start of a sentence is not taken for a name."""

from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from firsthand.vocabulary.patterns import lazy_pattern

# Never a name, wherever it stands and however it is written: function words, greetings, interjections, days, months.
_NEVER: Final = """
a aaah about above according across actually adios afaik after again against ago ah aha ahem ahh ain alas albeit all
almost aloha along alongside already alright also alternatively although always am amen amid among an and another any
anybody anyhow anymore anyone anything anytime anyway anyways anywhere appetit apr april are aren argh around as asap
aside at aug august aunt auntie aw away awesome awhile aww aye babe back bah basically be because been before
beforehand behind being below beneath beside besides between beyond bless bon both bravo brb bro btw buddy but by bye
can cannot cause certainly cheerio cheers ciao congrats congratulations cos could couldn cuz dad daddy damn dang danke
daren darn dear dec december definitely despite did didn ditto diy do does doesn doing don done down dude due duh
dunno during each eek eg eh either else elsewhere enough er especially etc even eventually ever every everybody
everyone everything everywhere ew eww exactly except false faq feb february few fewer finally first firstly fixme for
former fortunately fri friday from further furthermore fyi gee geez generally gimme given god gonna goodbye goodnight
gosh gotcha gotta gracias grandma grandpa granny guys ha had hadn hah haha hahaha half hallelujah hardly has hasn have
haven having hbu he heck hello hence her here hers herself hey heya hi him himself his hiya hm hmm hmmm hmmmm hola
honey hooray hopefully how howdy however huh hun hurray i idk ie if im imho imo in indeed instead into irl is isn it
its itself jan january jeez jesus jul july jun june just kinda kudos last lastly lately later latter least lemme less
lest let lets likewise literally lmao lol lord lots lotsa luckily madam many mar march mate may maybe me meanwhile meh
merci might mine misc miss mm mmm mom mommy mon monday more moreover most mostly mr mrs ms much mum mummy must mustn
my myself nah namaste namely naturally nb near nearly needn neither never nevertheless next ngl nice no nobody none
nonetheless noone nope nor not nothing notwithstanding nov november now nowadays nowhere nuh null nvm obviously oct
october of off oh ohh ok okay okey omg omw on once one ones oneself only onto oof ooh ooo oops or other others
otherwise ouch ought our ours ourselves out outside outta over overall owing own oww pal particularly per perhaps phew
phooey please plus pm pretty previously probably provided ps quite rather re really recently regarding regardless
right rip sadly same sat saturday second secondly seldom sep sept september several shall shan she sheesh should
shouldn similarly since sir smh so some somebody someday somehow someone something sometime sometimes somewhat
somewhere soon sorry sorta still such sun sunday sup sure surely ta tbh tgif thank thanks that the their theirs them
themselves then thence there thereby therefore these they thirdly this tho those though through throughout thru thu
thur thurs thursday thus thx till tldr to today todo together tomorrow tonight tons too toward towards true truly ttyl
tue tues tuesday ty ugh uh uh-huh um umm uncle under underneath unfortunately unless unlike unsafe until unto up upon
upwards us usually very via voila vs wanna was wasn wbu we wed wednesday welcome well were weren what whatever when
whence whenever where whereas whereby wherever whether whew which whichever while whilst who whoa whoever whole whom
whomever whose why with within without woah won wonderful woo woo-hoo woohoo would wouldn wow wowee wowza wtf xoxo ya
yay yea yeah yeahh yep yes yesterday yet yikes yo yoohoo you your yours yourself yourselves yuck yum yummy yup
"""

# A name only if it stands inside a sentence: at the start of one, the capital means nothing.
_ORDINARY: Final = """
ability able absolute absolutely accept access accident account ache achieve act action active activity actual add
added addition address admire admit adopt adult adventure advice affect afford afternoon age agent agree agreed aid
aim air alarm alive allergy allow alone alter amaze amazing ambition ambitious amount analysis analyze ancient anger
angry animal anniversary annoy annual answer anticipate anxiety apart apartment apologies app apparent apparently
appeal appear apple application apply appointment appreciate approach area argue arm army arrange arrive art article
artist ask aspect assignment assist assume assure ate attach attack attempt attend attention attitude attract author
autumn available average avoid award aware awful awkward baby background bad bag bake baking balance balcony ball
banana band bank bar barely bargain bark barrier base basic basket basketball bath battle beach beans bear beat
beautiful beauty become bed beer beg began begin behave belief believe believing belong bench best bet better big bike
bill billion bind bird birth birthday bit bite black blame blanket blend blind block blog blood bloom blow blue board
boat body boil bold bomb bone book border boring born borrow boss bother bottle bottom bought bounce bound bowl box
boy brain branch brave bread break breakfast breast breathe breeze brick bridge brief bright brilliant bring broad
broke broken brother brought brown brush bubble budget bug build building built bunch burden burn bus business busy
butter button buy cabin cabinet cake calendar call calm came camera camp campaign cancel cancer candle candy capable
capital captain capture car card care career careful carpet carry case cash cast castle casual cat catch caught
caution celebrate celebrity cell center central century cereal ceremony chain chair challenge chance change changed
chapter character charge charity charm chase chat cheap check cheer cheese chef cherish chest chicken chief child
childhood children chill chip chocolate choice choose chore chose chunk church cinema circle circumstance city civil
claim clap class classic clay clean clear clearly clerk clever click client climate climb clinic clip clock close
closet cloth clothes cloud club clue coach coast coat code coffee coincidence cold collapse collect college color
colour column combination combine come comedy comfort command comment commercial commit common communicate community
company compare competition complain complete completely complex compliment compose compromise computer concept
concern concert condition conference confess confident confirm conflict confuse connect connection conscious consider
consistency consistent construct consult contact contain content contest context continue contract contrast contribute
control convenient conversation convince cook cookie cool copy core corn corner correct cost costume cottage couch
cough counsel count country couple courage course cousin cover cozy crack craft crash craving crazy cream create
creative creativity creature credit crew crime crisis cross crowd crucial cruel crush cry culture cup cupcake cure
curious current currently curtain cushion customer cut cute cycle daily dairy damage dance dancing danger dare dark
data date daughter day deadline deal dealer death debate debt debug decade decide decision deck decline decorate
dedicate dedication deep def default defend define degree delay delete delicious delight deliver demand dentist deny
depart depend deploy deposit depress describe desert deserve design desire desk desperate destroy detail detect
determine develop device diary dictionary diet different difficult dig dinner diploma direct direction director
disagree disappear disappoint discipline discount discover discuss discussion disease dish dismiss display distance
distract disturb diverse divide divorce doctor document dog domestic donate door double doubt downtown dozen draft
drag dragon drain drama drank draw drawer dream dress drew drill drink drive driver drop drug drum dry duck dust duty
eager ear earlier early earn earth ease easily east easy eat economy edge edit education effect effort egg eight elect
electric element elephant eleven elf eliminate email embarrass embrace emergency emotion emphasis employ empty enable
encounter encourage end endless enemy energy engage engine engineer enjoy enormous ensure enter entertain enthusiasm
entire entirely envelope environment envy epic equal equip error escape essay essential estimate ethic evaluate event
everyday evidence evident evil evolve exact exaggerate exam examine example excellent excess exchange excited exciting
exclude excuse execute exercise exhaust exhibit exist exotic expand expect expensive experience expert explain explore
expose express expression extend extra extreme eye fabulous face fact factor fade fail faint fair faith fall false
fame familiar family famous fan fancy fantastic fantasy far farm fascinate fashion fast fate father fault favorite
favourite fear feast feature feed feedback feel feeling fellow felt female fence festival fever fiber fiction field
fierce fight figure file fill film filter final finals financial find fine finger finish fire fireworks firm fish fit
five fix fixed flag flame flash flat flavor flew flexible flight float flood floor flour flow flower fluffy fly focus
fold folk folks follow food foot football force forecast foreign forest forever forget forgive form formal fortune
forward found fountain four frame free freedom freeze frequent fresh fridge friend friendly friends friendship frog
front fruit frustrate fuel full fully fun function fund funeral funny fur furniture future gain game games gaming
garage garden garlic gastritis gather gave gay gear gender general generate genius gentle genuine get getting ghost
giant gift ginger girl give glad glass global glow go goal goat going gold golden golf gone good gorgeous gossip got
government grab grace grade gradual grain grand grandfather grandmother grant graph grass grateful gratitude gray
great green greet grew grocery group grow growth guarantee guard guess guest guide guilt guitar gun guy gym habit hair
hand handful handle handy hang happen happily happiness happy hard harm harvest hat hate haul hazard head heal health
healthy hear heard heart heat heavy height help helpful hero hiccup hidden hide high highlight hike hiking hint hip
hire history hit hobbies hobby hold hole holiday home honest honestly honor hook hope horrible horror horse hospital
host hot hotel hour house household hug huge human humble humor hundred hunger hunt hurry hurt husband ice icing idea
ideal identify identity ignore ill illness image imagine immediate impact implement imply import important impossible
impress impressive improve impulse incident include income incredible incredibly individual industry influence info
inform information initial initially injury inner innocent insect insert insight insist inspect inspire inspiring
install instance instant insult insurance intend intense intention interest interesting internal internet interview
introduce invent invest invite involve irony island issue item jacket jam jazz jealous jeans jewelry job join joke
journal journey joy judge juggle juice jump jungle junior justice karma kayak keen keep keeping kept ketchup key kick
kid kids kill kind kindness king kiss kitchen kite kitten knee knew knock know knowledge lab labor lack lady lake lamp
land language lantern laptop large late latest laugh laughter launch laundry law lawyer lay lazy lead leader leaf
learn leather leave lecture left leg legal legend lemon lens lesson letter level liberty library license lie life lift
light like likely limit line link lion liquid list listen little live living load loan lobster local lock log logic
lonely long look looks loose lose loss lost loud lounge love lovely low loyal luck lucky lunch luxury lyric machine
made magazine magic magnificent mail main maintain major make making male mall man manage manager manual map marathon
mark market marriage marry massage massive master match material math matter mature maximum meadow meal mean means
measure meat media medical medicine meditation meet meeting melody melt member memory men mental mention mercy merge
merry mess message met metal method middle mild mile milk million mind mindfulness minimum minor minute miracle mirror
miserable mission mistake mix mobile mode model modern modest moment money month mood moon moral morning mother motion
motivation motor mountain mouse mouth move movie muscle museum music mystery nail name nap narrow nation national
natural nature neat necessary neck need negative neighbor neighborhood nephew nerve network new news nicely niece
night nightmare nine noise noodle normal north nose note notes notice novel novelty nurse nutrition object observe
obstacle obvious occasion occasionally ocean odd odds offer office officer official often oil old older onion online
open opening opera operate opinion opportunity oppose optimistic option orange orbit order ordinary organ organic
organize origin original originally outcome outdoor outfit outstanding oven owner pace pack package page pain paint
painting pair palace panic paper parade parent parenthood parents park part partner party pass passion past pasta
pastry patch path patience patient pattern pause pay peace peak pencil people pepper pepperoni perfect perfectly
perform period permanent perseverance person personal personally perspective pet phone photo photography phrase
physical piano pic pick picture pie piece pill pillow pine pink pitch pizza place plain plan plane plant plastic plate
play player pleasant pleased pleasure plenty plot pocket poem poet poetry point poison police policy polish polite
political pool poor pop popcorn popular port portrait positive possible possibly post pot potential pottery pound pour
poverty power powerful practical practice praise pray precious predict prefer pregnant prepare presence present
presentation preserve press pressure prevent price pride prime principle print priority prison private prize problem
proceed process produce product profession professional profile profit program progress project promise promote proof
proper propose props prospect protect proud prove provide psychology pub public pull pumpkin punch punish puppy
purchase pure purple purpose pursue push put puzzle quality quarter queen query quest question quick quickly quiet
quilt quit quote rabbit race radio rage rain rainbow raise rally ran ranch random range rank rapid rare rarely rate
raw reach react read reader ready real realistic reality realize reason recall receive recent recipe recognize
recommend record recover recovery red reduce refer reflect reflection refresh refuse region regret regular reject
relate relationship relative relax release relief religion reluctant rely remain remark remember remind remote remove
removed rename rent repair repeat replace reply report request research reserve resist resolution resolve resort
resource respect respond responsible rest restaurant restore restrict result resume retire return returns reveal
review revise reward rhythm rice rich rid ride rifle ring rise risk river road roast robot rock role roll romance room
root rope rose rough round route row royal rub rubber rude ruin rule rumor run running rural rush sacrifice sad safe
safety sail salad sale salt sample sand sandwich sang satisfy sauce sausage save saw say scale scarf scary scene
schedule school science scientist score scream screen sculpt sea search season seat secret section secure see seed
seeing seek seem seems seen select self sell send senior sense sensitive sent sentence separate series serious
seriously serve service session set settle setup seven severe sew sex shade shadow shake shame shape share shared
sharing sharp sheet shelf shelter shift shine ship shirt shock shoe shoot shop shopping shore short shot shoulder show
shower shrimp shut shy sibling sick side sight sign signal silence silly silver similar simple simply sin sincere sing
singer single sink sister sit site situation six size skate sketch ski skill skin skip sky sleep slept slice slide
slight slip slow slowly small smart smell smile smoke smooth snack snow soap soccer social society soda soft software
solar solid solo solution solve son song sore sort soul sound sounds soup source south space spare spark speak speaker
special specific speech speed spend spent spicy spill spin spirit spite split spoil spoke sponsor spoon sport sports
spot spread spring square squeeze stable stack staff stage stair stamp stand standard star start state statement
station stay steady steak steal steam steel steep step stick stir stitch stomach stone stood stop store storm story
stove straight strange stranger strategy stream street strength stress stretch strict strike string strip stroke
strong structure struggle stubborn student studio study stuff stunning stupid style subject substance success
successful suddenly suffer sugar suggest suit suite sum summary summer sunflower sunrise sunset super supply support
supportive supposed surf surface surgery surprise surprisingly surround survey survive suspect swam swap sweet swim
swing switch sword symbol sympathy syrup system table tactic tail take taking tale talent talk tall tank tap target
task taste taught tax tea teach teacher team tear tease technically technique technology teen tell temper temple tempt
ten tender tennis tension tent term terrible test tests text texture theater theme therapy thick thin thing things
think third thought thoughts thousand three thrill throat throne throw thumbs thunder ticket tide tie tight time
timeline times tiny tip tire tissue title toast toe told tomato tone tongue took tool tooth topic torch total totally
touch tough tour tourist tournament towel tower town toxic toy track trade tradition traffic trail train training trap
trash travel tray treasure treat tree trend trial tribe trick trip triumph tropical trouble truck true trust truth try
trying tube tune tunnel turn turns tutorial tv twelve twenty twice twin twist two type typical typically ugly ultimate
ultimately umbrella unbelievable uncertain unconditional understand understood unique unit universal universe
university unreal update updated upgrade upload upset urban urge use used useful user usual vacation vacuum vague
valid valley valuable value van vanish variety various vast vegan vegetable veggie vehicle verify version vibe victim
victory video view village violence virtual virtue virus visible vision visit visual vital vivid voice volume
volunteer vote voyage vulnerable wage wait wake walk wall wander want war warm warn warning warrior wash waste watch
water wave way weak wealth wear weather web website wedding week weekend weekly weigh weight weird went west wet wheat
wheel whisper whistle white wide wife wild will willing win wind window wine wing winner winter wisdom wise wish woke
wolf woman women wonder wood wool word words wore work worker workout workshop world worry worse worst worth wound
wrap wrist write writer writing wrong wrote yard year yeast yell yellow yoga yogurt young youth zebra zero zone zoo
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
_ENDING_TEXT: Final = (
    "ing ness ment tion tions tively ously fully ically able ible ful less ally ily hood ship wise itis ability ivity"
)
_INFLECTION_TEXT: Final = "s es d ed r er rs ers st est ly y ies ied n ping ting"
_ENDINGS: Final = tuple(_ENDING_TEXT.split())
_INFLECTIONS: Final = tuple(_INFLECTION_TEXT.split())
_PAST: Final = lazy_pattern(r"[a-z]{3,}(?<!fr)(?<!m)(?<!l)ed")  # but not Alfred, Ahmed or Khaled


@cache
def ordinary() -> frozenset[str]:
    """Words that begin sentences; read when first asked for. The list beside this file is tools/ordinary_words.py's."""
    written = Path(__file__).with_name("ordinary.txt").read_text("utf-8")
    return frozenset(f"{_ORDINARY} {written}".split()) - NEVER


@lru_cache(maxsize=4096)
def is_ordinary(word: str) -> bool:
    """Say whether a lower-case word is one that any sentence may begin with, in any of its forms."""
    if word in (known := ordinary()) or word in NEVER or _PAST.fullmatch(word):
        return True
    if len(word) > 5 and word.endswith(_ENDINGS):
        return True
    if "-" in word:
        return any(map(is_ordinary, word.split("-")))
    return any(
        word.endswith(ending) and ((stem := word[: -len(ending)]) in known or f"{stem}y" in known)
        for ending in _INFLECTIONS
    )
