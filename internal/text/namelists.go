package text

import (
	_ "embed"
	"strings"
)

// Word lists of the name finder, all in lower case without apostrophes.

//go:embed common.txt
var commonText string

// commonWords are everyday English words in their base form. Their capital at a
// sentence start means nothing. The list was written for this package.
var commonWords = WordSet(commonText)

// starters precede a name at a sentence start without being part of it:
// greetings, interjections, imperatives and other verbs, adverbs, question words.
var starters = WordSet(`
hey hi hello hiya howdy yo greetings welcome bye goodbye cheers thanks thank thx ta congrats congratulations sorry
pardon please yeah yep yup yes yah nope nah no ok okay okey k kk sure right alright well oh ooh ah aha ahh aww aw
wow whoa woah yay yikes ugh uh um umm hmm hm mhm huh eh er oops ouch phew meh lol haha hahaha hehe omg wtf damn darn dang shit
fuck gosh god goodness jeez gee heck hell bravo kudos ahoy voila amen great good nice cool awesome amazing fantastic
wonderful excellent perfect brilliant lovely super sweet neat fine terrific fabulous exactly absolutely definitely totally certainly
indeed obviously clearly actually basically honestly seriously literally apparently probably possibly maybe perhaps
hopefully luckily sadly unfortunately fortunately finally eventually suddenly recently lately currently usually often
sometimes always never ever again also anyway anyways besides however therefore thus hence meanwhile otherwise
instead still yet already soon later now then today tomorrow yesterday tonight once twice here there everywhere
somewhere anywhere why who whom whose what which when where how if unless although though because since while
whereas whether until till before after during despite except like unlike about above across against along among
around at behind below beneath beside between beyond by down for from in inside into near of off on onto out outside
over past per plus through throughout to toward towards under underneath up upon via versus vs with within without
and but or nor so as than the a an this that these those such same another other each every either neither both all
any some many much more most few fewer less several enough none one two three four five six seven eight nine ten
i im ive id ill me my mine myself you your yours youre youve youll youd u ur we us our were weve well wed he him his hes she her shes
it its they them their theyre theyve is isnt are arent was wasnt am be been being do does doesnt dont did didnt
doing done have has havent hasnt had hadnt having can cant could couldnt will wont would wouldnt shall should shouldnt
may might must mustnt lets let got get gets getting gotta gonna wanna go goes going went gone come came coming make
made making take took taken taking give gave giving given see saw seen seeing look looks looked looking find found
finding think thinks thought thinking know knows knew known knowing want wants wanted need needs needed ask asks asked asking tell
told telling say says said saying talk talked talking speak spoke call called calling email emailed mail mailed text texted message messaged
meet met meeting send sent sending show shows showed showing remind reminds reminded remember remembers remembered
forget forgot check checked checking try tries tried trying use used using work works worked working help helps helped helping
keep kept keeping put putting set setting start started starting stop stopped stopping begin began end ended ending
write wrote written writing read reading hear heard hearing listen watch watched watching play played playing buy
bought buying sell sold pay paid paying bring brought bringing leave left leaving stay stayed staying live lived living
move moved moving turn turned visit visited visiting wait waited waiting add added adding change changed changing
run ran running eat ate eating drink drank cook cooked cooking sleep slept love loved loving hate hated enjoy enjoyed
feel felt feeling hope hoped hoping wish wished guess guessed suppose believe believed agree agreed mean means meant
happy glad excited proud worried tired busy ready free available interested
note noted update updated book booked schedule scheduled cancel cancelled order ordered plan planned planning invite invited
join joined ping pinged poke ask introduce introduced follow followed pick picked drop dropped grab grabbed
ship shipped deploy deployed merge merged fix fixed review reviewed build built test tested save saved store stored
delete deleted remove removed create created draft drafted forward forwarded reply replied answer answered confirm confirmed
heres theres wheres whats whos hows thats whens whys itll thatll therell shell hell theyll ya yall btw fyi imo imho tbh
asap aka eg ie etc ps nb re fwd cc rip idk ikr brb afaik iirc tldr ditto same speaking regarding concerning according given
dear merry hola bonjour ciao hallo salut danke merci gracias grazie namaste konnichiwa
привет да нет спасибо здравствуй здравствуйте как что где когда кто почему зачем это этот эта эти тот та те я ты он она
оно мы вы они мой моя мое мои твой ваш наш их его ее и а но или если потому поэтому вчера сегодня завтра сейчас потом
теперь уже еще ещё тоже также очень может можно надо нужно был была было были есть будет будем буду в во на с со из за
от до по про для без под над при через у к о об так вот ну ой ах ладно хорошо конечно пожалуйста извини извините
добрый доброе доброго понедельник вторник среда четверг пятница суббота воскресенье`)

// foreignOpeners begin sentences in languages that most memories contain now and
// then. Inside a sentence their capital counts: some are names as well.
var foreignOpeners = WordSet(`
danach leider hoffentlich vielleicht trotzdem nein vielen jetzt bitte alles genau gerne gern wann wieso weshalb wohin woher
können kannst könntest könnten könnte willst wollen wollte möchte möchtest muss musst müssen müsste soll sollen sollte sollten
darf dürfen warst waren wäre wärst hast hatten hättest hätte seid werden wurde würde würdest dein deine unsere euer eure dieser
diese dieses jeder jede jedes welche welcher welches einige manche solche beide viele guten gute guter schöne schönes schönen
liebe lieber liebes herzlichen herzliche morgen tag abend nacht dank grüße gruß wochenende klar stimmt schade prima toll gut
schön außerdem deshalb deswegen daher darum zuerst zuletzt schließlich endlich eigentlich natürlich wahrscheinlich bestimmt
sicher bald gleich sofort heute gestern vorgestern übermorgen immer oft manchmal selten nie niemals schon sogar obwohl während
nachdem bevor seit beim ohne gegen für über unter zwischen wegen trotz sondern gibt geht kommt komm mach macht sag schau hör
lass vergiss denk entonces quiero quieres quiere queremos tengo tienes tiene tenemos dónde cuándo cuánto cómo qué quién cuál
también tampoco sí aunque mientras después antes luego ahora aquí allí ayer hoy mañana anoche siempre nunca quizás quizá tal
ojalá muchas muchos mucho mucha más menos buenos buenas bueno buena qué está estás están estoy estamos eres somos son fui creo
crees pienso espero necesito necesitas puedo puedes puede podemos voy vas vamos vale claro bien perdón oye dime dile estos aquel
aquella unas hasta desde aujourdhui demain peut oui non coucou bonsoir bonne très trop aussi alors donc puis ensuite après avant
parce comment où jai ton est-ce ik jij wij het dat maar nee nog niet een jeg det ikke og hva hvor hvorfor når takk tusen
anche però perché quando sono siamo sei ho hai abbiamo voglio devo posso oggi ieri domani allora quindi poi sì certo bene
buongiorno buonasera`)

// greetingNouns follow the first word of a greeting: "Happy Birthday Anna".
var greetingNouns = WordSet("morning afternoon evening night day weekend birthday anniversary luck regards wishes")

// neverNames are capitalised by convention without naming anybody: days, months,
// holidays, nationalities and languages.
var neverNames = WordSet(strings.Join(EnglishMonths[:], " "), strings.Join(EnglishShortMonths[:], " "), `
i im ive id ill monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri
mondays tuesdays wednesdays thursdays fridays saturdays sundays christmas xmas easter halloween thanksgiving hanukkah ramadan diwali eid
passover lent pentecost advent valentines juneteenth midsummer
english british scottish irish welsh american canadian australian french german spanish italian portuguese dutch belgian swiss
austrian danish norwegian swedish finnish icelandic polish czech slovak hungarian romanian bulgarian greek turkish
russian ukrainian serbian croatian bosnian slovenian albanian estonian latvian lithuanian chinese japanese korean vietnamese thai indian pakistani
indonesian malaysian filipino arabic arab arabian hebrew israeli palestinian lebanese syrian iraqi iranian persian egyptian moroccan
algerian tunisian nigerian kenyan ethiopian ghanaian african asian european mexican brazilian argentinian argentine chilean colombian
peruvian cuban latin hindi urdu bengali tamil punjabi mandarin cantonese catalan basque sami flemish nordic scandinavian
mediterranean victorian georgian christian muslim jewish buddhist hindu catholic protestant orthodox islamic
americans germans italians russians europeans africans asians indians mexicans canadians australians brits norwegians swedes danes
finns poles spaniards greeks turks egyptians christians muslims jews hindus catholics
am pm utc gmt cet cest est pst bc ad
montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober dezember
январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь`)

// properHead and properTail make neverNames part of a longer name: "British
// Museum", "African Queen". A language or a day at the end of a run is not part
// of it.
var (
	properHead = WordSet(`british american scottish irish welsh canadian australian french german spanish italian dutch swiss
		danish norwegian swedish finnish polish greek turkish russian chinese japanese korean indian african asian european latin
		arabian egyptian mexican nordic mediterranean victorian georgian christian jewish english easter christmas august april june`)
	properTail = WordSet("april june august christian georgian may")
)

// titleWords belong to the name that follows and are no name alone.
var titleWords = WordSet(`
mr mrs ms mx miss dr prof professor sir dame lord lady king queen prince princess duke duchess count countess baron emperor pope
saint st father fr sister brother uncle aunt auntie aunty grandma grandpa granny grandmother grandfather cousin
president chancellor minister senator governor mayor judge captain capt major colonel col general gen sergeant sgt
lieutenant lt officer detective inspector chief coach rabbi imam reverend rev doctor nurse herr frau monsieur madame don señor señora
onkel tante тетя тётя дядя баба бабушка дедушка дед госпожа господин доктор профессор`)

// givenNames are everyday words that name people as well: inside a sentence
// their capital counts, at its start only with other evidence.
var (
	givenNames = WordSet(`hope faith grace joy will mark rose bill jack frank rob drew pat sue art ray gene guy max april june dawn
		ivy lily violet olive hazel amber ruby pearl jade crystal sandy cliff grant chase chuck dean duke earl glen heath hunter
		lance miles norm pierce rich rocky stew wade ward penny holly daisy iris poppy heather summer autumn robin jay martin
		angel angela iris victor sky star melody harmony constance patience charity prudence basil ginger bob nick don jimmy`)
	// finiteVerbs are the finite verbs without an ending "ed" or "s".
	finiteVerbs = WordSet(`is isnt was wasnt has hasnt had does doesnt did didnt can cant could would wouldnt said told got went came saw took gave made
		wrote met knew found brought bought thought felt kept ran sang sat stood won lost spoke drove ate fell grew held led left paid sent spent taught
		wore and or from of`)
	// spokenVerbs have a person as their subject.
	spokenVerbs = WordSet(`said says told tells asked asks called calls texted emailed wrote thinks thought wants wanted likes liked loves knows knew
		met sent invited visited married`)
	auxiliary = WordSet("will may can mark hope grant chase") // verbs that a name may follow: "Will Anna come?"
)

// institutions begin or end a name made of common words: "Bank of Norway",
// "National Gallery".
var institutions = WordSet(`
bank university college school institute academy ministry department museum gallery library church cathedral hospital
clinic hotel restaurant cafe café bar pub theatre theater cinema opera park garden gardens street road avenue square bridge lane
river lake mount mountain valley island islands bay beach coast sea ocean desert forest airport station city town county
state states republic kingdom empire union council house palace castle tower court club society association
foundation fund company corporation group agency office bureau court party league cup prize award project operation
north south east west new great royal national international central united`)

// plainAcronyms are capitalised terms of trade, measure and chat, not names.
var plainAcronyms = WordSet(`
ok tv pc id ip ui ux api url uri http https html css xml json yaml csv pdf png jpg jpeg gif svg sql cpu gpu ram ssd hdd usb lan wan vpn
dns ssh ssl tls tcp udp ide sdk cli gui ai ml llm nlp ocr iot saas crm erp kpi okr roi mvp poc qa qc pr hr it ceo cto cfo coo
cmo vp svp md phd msc bsc ba ma mba llc ltd inc gmbh plc diy faq asap fyi eta tba tbd tbc rsvp aka btw lol omg wtf brb
idk imo imho tbh afk irl dm pm am pms ps rip atm pin sim sms mms gps hiv aids adhd dna rna mri ct ecg iv er icu gp
bbq ac dc led lcd hd uhd vr ar nft kg km cm mm mb gb tb kb mph kmh rpm usd eur gbp nok sek dkk chf jpy cad aud
todo fixme wip rfc lgtm nit ci cd eod eow eom cob ooo pto wfh q a ad bc ce vat nda sla hoa mot cv suv rv dj mc ufo vip
pvc mdf abs pla hdmi wifi lte oop orm crud rest soap utf ascii uuid jwt sso mfa otp csrf xss tdd bdd yes no not and the or but so
why what who how when very really never always all more stop now please help wow yay ugh haha hey hi`)

// nounOnly are common words that some authors capitalise for emphasis or
// reverence.
var nounOnly = WordSet(`
mum mom mommy mummy dad daddy mama papa grandma grandpa granny gran nana nan boss god lord sir madam internet web net
president ceo king queen team company office school university church government parliament police army state
north south east west northern southern eastern western spring summer autumn fall winter earth sun moon
section chapter figure table page part step phase task option plan version level stage room floor platform gate
monday sir miss maths math science history english physics chemistry biology geography sports art
yes no ok okay note warning important todo question answer summary result user assistant system human bot agent
hello thanks thank please sorry dear best regards sincerely love cheers kind`)

// germanMarkers identify a German line; the determiners among them make the next
// capitalised word a noun.
var (
	germanMarkers = WordSet(`ich du er wir ihr der die das den dem des ein eine einen einem einer und oder aber nicht ist sind war
		hat habe haben mit für auf bei nach von zu zum zur im am vom beim auch noch schon sehr wie wo wann warum weil dass mein meine
		meinen meiner meinem dein deine sein seine unser unsere kein keine wird werden kann können muss heute gestern morgen`)
	// alsoGerman are English function words that German has, too.
	alsoGerman        = WordSet("in so an am also was will man all")
	germanDeterminers = WordSet(`der die das den dem des ein eine einen einem einer eines im am zum zur vom beim ins ans mein meine
		meinen meiner meinem meines dein deine deinen deiner deinem sein seine seinen seiner seinem ihr ihre ihren ihrer ihrem unser unsere
		unseren unserer unserem kein keine keinen keiner keinem jeder jede jedes jeden jedem dieser diese dieses diesen diesem welche welcher
		viele viel alle alles zwei drei vier fünf paar mehr wenig etwas nichts guten gute guter gutes neue neuen neuer neues`)
	germanNouns = WordSet(`zeit jahr jahre tag tage woche wochen monat monate stunde stunden uhr abend morgen nacht mittag wochenende
		mann frau kind kinder mutter vater eltern bruder schwester freund freunde freundin familie leute hund katze haus
		wohnung zimmer küche garten stadt land straße auto zug bahn bus flug urlaub reise arbeit büro chef kollege kollegen
		kollegin firma projekt termin besprechung geld preis schule uni buch bücher film musik essen kaffee tee bier wein
		wasser brot kuchen frage antwort problem idee hilfe danke bitte gruß grüße geburtstag weihnachten ostern sommer winter
		frühling herbst sport fußball handy computer rechner internet spaß glück liebe leben welt weg ende anfang sie ihnen
		wetter regen sonne schnee arzt krankenhaus hand kopf herz angst lust recht teil seite beispiel grund mal hallo`)
)

// germanEnding reports endings that only common nouns have.
func germanEnding(low string) bool {
	for _, end := range [...]string{"ung", "ungen", "heit", "keit", "schaft", "chen", "tion", "tät", "ment", "nis", "tum", "lein"} {
		if len(low) > len(end)+2 && strings.HasSuffix(low, end) {
			return true
		}
	}
	return false
}
