package said

import (
	"cmp"
	"slices"
	"strings"
)

// germanRows are the patterns of German. Verbs are in the first person singular;
// the subject may precede or follow them.
const germanRows = `
// wishes
nenn|nenne|nennen mich|Sie? bitte|ab_jetzt? mich? X : name func wish is=name clear
bitte? duze|duz|siez|sieze|duzen|siezen mich|Sie? bitte|immer? : form_of_address func wish value=du
du kannst|darfst mich X nennen : name func wish is=name
du|Sie kannst|darfst|können|dürfen mich? duzen|siezen : form_of_address func wish value=du
bitte? antworte|antworten|schreib|schreibe|rede|sprich mir|mit|Sie|mir_bitte? bitte|immer|mir? auf #language : answer_language func wish clear
bitte? auf #language antworten|schreiben : answer_language func wish
bitte? antworte|antworten|schreib|schreibe|erkläre|erklär|erklären|fass|fasse|formuliere|bleib|sei|seien|halte|halt|halten mir|Sie|dich|sich|es|alles|das|deine|die|Ihre? antworten? X : answer_style func wish is=manner clear
bitte? X antworten|antworten_geben|antwort|halten|fassen|erklären : answer_style func wish is=manner
I|bitte? mag|will|bevorzuge|brauche|möchte|hätte_gern|hätte_gerne|hätte|gib|geben mir|Sie? X antworten|erklärungen : answer_style func wish is=manner
bitte? verwende|benutze|benutz|nutze|nimm|verwenden|benutzen|nutzen|gib|rechne|rechnen Sie|mir|alles|immer|temperaturen|entfernungen|maße|preise|mengen? in? X einheiten|angaben|an : units func wish words=1-8
bitte? verwende|benutze|benutz|nutze|nimm|verwenden|benutzen|nutzen|gib|rechne|rechnen Sie|mir|alles|immer|temperaturen|entfernungen|maße|preise|mengen? in? X : units func wish is=unit
bitte? verwende|benutze|nutze|benutz|schick|schreib|verwenden? Sie|mir? keine|ohne|nie emojis|smileys|emoticons bitte|mehr|verwenden|benutzen? : emojis func wish value=keine
du kannst|darfst wieder|jetzt? X verwenden|benutzen|nutzen|schicken : emojis denied wish is=emoji
du kannst|darfst wieder|jetzt? X antworten|schreiben|erklären : answer_style func wish is=manner
du musst|brauchst nicht mehr? so? X zu? antworten|schreiben|erklären : answer_style denied wish is=manner
ab_jetzt|künftig|in_zukunft|von_nun_an|ab_sofort ,? bitte? X : should wish adds is=imperative clear
immer X : should wish adds is=infinitive
I|du möchte|will|sollst ,? dass? du? immer|nie|nur X : should wish adds

// corrections
sie|er heißt X : name func subject=she is=proper
es|das ist|heißt nicht Y , sondern X : it func change subject=it words=1-8
I|es|das|sie|er ist|heißt|meine|meinte X , nicht Y : it func change subject=it words=1-8

// name, age, birth
I heiße X : name func clear is=name
I? bin I? gerade|letzte_woche|gestern? X jahre|geworden alt? : age func clear is=number
I werde? bin X : age func is=age
MY geburtstag ist am? X : birthday func trait clear is=date
I? habe I? am X geburtstag : birthday func trait clear is=date front
I? bin I? am X geboren : birthday func trait clear is=date front
I? bin I? in X geboren : born_in func trait clear is=upper front
I? bin I? in X aufgewachsen : grew_up_in func trait clear is=upper front
I? komme|stamme I? ursprünglich|eigentlich? aus X : from func trait clear is=upper

// residence
I? wohne|lebe I? in|auf|an der|dem? X : address func clear is=street deniable
I? wohne|lebe I? allein|alleine? in|bei|nahe|an|auf X : lives_in func clear is=upper deniable front
I? bin I? von Y nach X umgezogen|gezogen : lives_in func change clear is=upper
I? bin I? nach|in|im|ins X umgezogen|gezogen|eingezogen|übersiedelt|ausgewandert : lives_in func change clear is=upper
I? bin I? umgezogen ,|:|und|–? MY? neue? wohnung|adresse|haus|zuhause? ist|liegt|wohne|jetzt|bin|lebe I? in|nach X : lives_in func change is=upper
die_neue|neue|MY wohnung|haus|zuhause|bleibe ist|liegt|befindet_sich in|im X : lives_in func is=upper
I? wohne|lebe I? im|in_einem|in_einer Z in X : lives_in func clear is=upper

// work
I? arbeite I? als X bei|in|im|an|für|am Z : works_as func clear words=1-8
I? arbeite I? als X : works_as func clear words=1-8
I? arbeite I? bei|für|am|beim|im|an X : works_at func clear is=employer deniable front
I? arbeite I? in der|dem|einer|einem X : works_at func clear is=institution deniable
I? arbeite I? in X : works_in func is=upper deniable
I? bin I? bei|beim X angestellt|beschäftigt : works_at func clear is=upper front
I? habe I? bei Y gekündigt|aufgehört und|, arbeite|bin|fange|starte jetzt|nun? bei|für? X : works_at func change clear is=upper
I? habe I? bei|beim X angefangen : works_at func change clear is=upper
I? habe I? einen_neuen|einen|neuen|eine_neue|neue|eine job|stelle bei|als X : works_at func change clear is=upper
I? habe I? bei|beim X gekündigt|aufgehört : works_at denied change clear is=upper front
I? habe I? MY job gekündigt|verloren|aufgegeben : works_at denied change clear
I? habe I? gekündigt : works_at denied change
I? bin I? im_ruhestand|in_rente|rentner|rentnerin|pensioniert|in_pension|pensionist|pensionistin|arbeitslos|arbeitssuchend|selbstständig|selbständig|freiberuflich|freiberufler|freiberuflerin : works_as func value=retired
I? studiere I? an X : studies_at func is=upper
I? studiere I? X : studies func is=upper
I? mache I? eine? ausbildung|lehre als|zum|zur X : studies func words=1-8
I? gehe|bin I? auf|aufs|an|in|ins der|die|das|den? X : school func is=school
I? arbeite I? X stunden|prozent die_woche|pro_woche|in_der_woche? : working_hours func is=digits
I? habe I? auf X stunden|prozent reduziert|aufgestockt|erhöht|verkürzt : working_hours func change is=digits

// vehicles, belongings
I? habe I? MY|das|den|die alte|alten|altes? @thing verkauft|abgegeben|verschenkt|verschrottet und|,|– MY? jetzt|dafür|stattdessen|nun? einen|eine|ein|fahre|habe|I? jetzt|I|nun? einen|eine|ein? X gekauft|geholt|angeschafft? : $ func change clear
I? habe I? MY|das|den|die|kein|keinen|keine alte|alten|altes? @thing verkauft|abgegeben|verschenkt|verschrottet : $ denied change clear front
I? habe I? den|die|das|MY X verkauft : owns denied change is=upper front
I? bin I? den|die|das|MY X los : owns denied change is=upper front
steht|stehen jetzt|nun|hier? ein|eine|MY X vor|in|auf|im der|dem? tür|garage|hof|carport : car func change is=upper
I? habe I? kein|keine|keinen @thing mehr? : $ denied clear
I? fahre I? einen|eine|ein X : car func clear is=upper deniable
I? habe I? mir? einen|eine|ein neuen|neues|neue @thing gekauft|geholt|besorgt? ,|:|– einen|eine|ein? X : $ func change is=upper clear
I? bin I? von Y auf|zu X umgestiegen|gewechselt : uses func change clear
I? bin I? auf|zu X umgestiegen|gewechselt : uses change adds is=upper
neue|neuer|neues @thing :|ist|lautet X : $ func change is=noun
@thing|role : X : $ func reported
neue|neuer|die_neue|der_neue MY? @role ist|heißt|:|– X : $ func change is=title
das|die|der passwort|code|pin|kombination|nummer|zahlencode für|vom|von|zum|zur die|das|den|der|dem? N ist|lautet jetzt|nun|ab_heute? X : $_code func is=digits
der|die|das N hat|habe jetzt|nun|ab_heute|ab_sofort die|den_code|den|die_nummer X : $_code func change is=digits
das|die|der @thing ist|lautet|ist_jetzt|lautet_jetzt X : $ func is=digits
die|das|der neue|neuer|neues @thing ist|lautet|heißt X : $ func change
MY|die|der|das @thing beträgt|kostet X : $ func is=digits
MY|die|der|das @thing wurde|ist auf X erhöht|gesenkt|gestiegen|angehoben : $ func change is=digits
MY N kostet jetzt|nun|neuerdings? X : $_price func is=digits

// people
MY @bearer heißt|heiße X : $ func clear
MY @kin bin|ist X : $ adds is=proper
MY @pet ist|bin ein|eine X : pet_breed adds subject=$ words=1-8
MY @role da|dort|hier? ist|bin X : $ func clear is=title
MY @kin|role ,|:|– X : $ func is=entire
I? habe I? einen|eine|ein|noch_einen|noch_eine|noch_ein ältere|jüngere|kleine|große|älteren|jüngeren|kleinen|großen|neue|neuen|weitere|zweite|zweiten? @kin|pet namens|, der|die|das? heißt? X heißt? : $ adds is=proper clear
I? habe I? einen|eine|ein|neuen|neue neuen|neue @role ,|namens|:|– X : $ func change is=title
I? habe I? den|die|MY @role gewechselt ,|:|und|– jetzt|bin|ist|nun|gehe|heißt|es|I? jetzt|ist|es|I? bei|zu|sie|er? X : $ func change clear
I? habe I? den|die|das|MY @place gewechselt ,|:|und|– jetzt|bin|ist|nun|gehe|trainiere|es|I? jetzt|ist|es|I? bei|zu|im|in? X : $ func change clear
X ist|bin MY @role : $ func is=title clear
X ist|bin MY @kin|pet : $ adds is=proper clear
I? habe I? einen|eine|ein|zwei|drei|vier|fünf ältere|jüngere|kleine|große|erwachsene|älteren|jüngeren|kleinen? #kin : has_family adds clear
I? habe I? keine|keinen|kein #pet : has_pet denied
I? habe I? einen|eine|ein|zwei|drei|vier|fünf|nen|ne neue|kleine|alten? #pet : has_pet adds clear
I? habe I? keine|keinen|kein #kin : has_family denied
I bin gestorben|verstorben|eingeschläfert|eingeschläfert_worden|tot : died denied change
I bin am|im|letzten|letzte|letztes|diese|diesen Z gestorben|verstorben|eingeschläfert_worden : died denied change
I bin ausgezogen : gone denied change
ist|bin X gestorben|verstorben|eingeschläfert_worden : lost denied change is=close
I? habe|muss|musste|mussten|müssen I? X einschläfern|gehen lassen : lost denied change is=close front
I? bin I? mit X verheiratet : spouse func clear is=upper front
I? bin I? mit X zusammen : partner func is=proper deniable
I? bin I? mit X verlobt : fiance func is=upper
I? habe I? mich von MY @role getrennt : $ denied change
I? bin I? #status : marital_status func clear
I? habe I? geheiratet : marital_status func change value=married
I? habe I? uns getrennt : marital_status func change value=separated

// health and diet
I? bin|reagiere I? allergisch|intolerant gegen|auf X : allergic_to adds clear deniable
I? bin|reagiere I? gegen|auf X allergisch : allergic_to adds clear deniable front
I? habe I? eine|MY? starke|schwere|leichte? allergie gegen|auf X : allergic_to adds clear
I? habe I? eine? X : allergic_to adds is=allergy
I? vertrage I? kein|keine|keinen X : cannot_eat adds clear
I? vertrage I? X nicht|schlecht|überhaupt_nicht : cannot_eat adds clear front
I? darf|kann I? kein|keine|keinen X essen|trinken|zu_mir_nehmen : cannot_eat adds clear
I? darf|kann I? X nicht essen|trinken|vertragen : cannot_eat adds clear front
I? esse I? kein|keine|keinen|nie|niemals X : cannot_eat adds clear
I? esse I? X nicht|nie|keins : cannot_eat adds clear is=food front
I? trinke I? kein|keine|keinen|nie|niemals X : does_not_drink adds clear
I? trinke I? X nicht|nie|keinen : does_not_drink adds clear is=food front
I? esse|trinke I? wieder X : eats change adds
I? habe I? mit_dem|das|aufgehört_zu rauchen aufgehört|aufgegeben? : does_not adds change value=smoke
I? rauche|trinke I? nicht|nie mehr? : does_not adds value=smoke
I? rauche I? wieder? : does_not denied value=smoke
I? bin|esse|lebe|ernähre I? mich|jetzt|seit|ein|eine? #diet geworden? : diet func clear deniable
I? habe|bin|leide I? an|unter? #condition : has_condition adds clear
I? trage I? eine? brille|kontaktlinsen|hörgeräte : wears adds value=glasses
I? nehme I? täglich|jeden_tag|jeden_morgen|regelmäßig X : takes adds habit
I? nehme I? morgens|abends|mittags|täglich|früh? N X mg|milligramm|mikrogramm|µg|tropfen|tabletten|einheiten : $_dose func habit is=digits
I? nehme|bin|spritze I? morgens|abends|mittags|täglich|früh? auf|bei? X mg|milligramm|mikrogramm|µg|tropfen|tabletten|einheiten von|vom? dem|der? N : $_dose func habit is=digits
N wurde|ist auf X mg|milligramm|mikrogramm|µg|tropfen|einheiten erhöht|gesenkt|hochgesetzt|runtergesetzt|reduziert|gesteigert : $_dose func change habit is=digits

// languages
I? spreche I? kein X : speaks denied is=upper
I? trage|habe I? schuhgröße|größe|konfektionsgröße X : size func is=digits
MY abteilung|team|station|gruppe|filiale leitet|führt jetzt|nun? X : boss func change is=title
X leitet|führt|übernimmt jetzt|nun? MY abteilung|team|station|gruppe|filiale : boss func change is=title
I? gehe I? um X ins_bett|schlafen : bedtime func habit is=number
X schmeckt|schmecken mir nicht|überhaupt_nicht|gar_nicht : dislikes pref adds is=like
I? spreche I? fließend|gut|etwas|auch|ein_bisschen? X fließend? : speaks adds clear is=upper front
I? lerne I? seit|gerade|jetzt|neuerdings? #language : learns adds
I? kann I? X sprechen : speaks adds is=upper

// membership, schedules
I? bin I? mitglied bei|im|in|der|des|beim|von X : member_of adds clear deniable
I? bin I? im|in_der|in_einem|bei|beim X mitglied|angemeldet : member_of adds clear deniable
I? bin I? aus|bei X ausgetreten|ausgestiegen|raus : member_of denied change is=upper
I? bin I? dem|der|den|in? X beigetreten|eingetreten : member_of change adds
I? habe I? das|den|die|MY X gekündigt : member_of denied change is=upper front
MY|der|die|das? @activity bin|ist|findet|sind jetzt|nun|immer|ab_jetzt? am|an|immer|jeden? X statt? : schedule func subject=$ habit is=day clear
MY|der|die|das? @activity ist|wurde|hat|bin Z? auf X verlegt|verschoben|gewechselt : schedule func change subject=$ habit is=day clear
I? habe|gehe|mache|besuche I? am|jeden|immer? X zum|zur|ins|in_den|in_die|einen|MY? @activity : schedule subject=$ habit is=day clear
I? habe|gehe|mache|besuche|spiele I? zum|zur|ins|in_den|in_die|einen|MY? @activity immer? am|jeden|an X : schedule subject=$ habit is=day clear
X habe|gehe|mache|ist I? zum|zur|ins|in_den|in_die|MY? @activity : schedule subject=$ habit is=day
@activity habe|mache I? immer? am|jeden? X : schedule subject=$ habit is=day

// dated events
MY N ist|beginnt|findet am X statt? : $ event func is=date
MY|der|die|das N ist|wurde auf|auf_den X verschoben|verlegt|vorverlegt : $ event func change is=date
I? habe I? am X einen|eine|ein|MY N : $ event is=date
I? heirate|heiraten I? am X : wedding event func is=date

// likes
MY N ist|sind|bin|war_schon_immer X : favourite_$ func pref clear is=favourite
X ist|sind|bin MY N : favourite_$ func pref is=favourite
I? mag|trinke|esse|nehme|lese|höre|fahre I? lieber X : prefers pref adds clear
I? bevorzuge|favorisiere I? X : prefers pref adds clear is=like
am_liebsten trinke|esse|lese|höre|mag|schaue|spiele|koche|reise|gehe|mache|arbeite I X : likes pref adds clear is=like
I? trinke|esse|lese|höre|mag|schaue|spiele|koche|reise|gehe|mache|arbeite|fahre|sitze I? am_liebsten X : likes pref adds clear is=like
I? bin I? ein|eine|kein|keine? großer|große|riesiger|riesen|totaler|echter? fan von|der|des X : likes pref adds deny=dislikes clear is=like
I? bin I? eher|mehr ein|der|die? X : prefers pref adds is=upper
I? finde I? X furchtbar|schrecklich|schlimm|eklig|widerlich|ätzend : dislikes pref adds is=like front
X geht gar_nicht : dislikes pref adds is=upper
I? kann I? X nicht_leiden|nicht_ausstehen|nicht_ab : dislikes pref adds clear front
I? hasse|verabscheue I? X : dislikes pref adds clear is=like front
I? mag|liebe I? X : likes pref adds deny=dislikes clear is=like front
I? esse|trinke|lese|höre|koche|reise|spiele|schwimme|wandere|backe|tanze|male|singe|gehe|fahre|schaue|laufe|stricke|klettere|fotografiere I? gern|gerne X : likes pref adds clear is=like deny=dislikes
I? interessiere|begeistere I? mich für X : likes pref adds clear is=like
I? stehe I? auf X : likes pref adds is=like
I? habe I? angst vor X : fears adds
MY hobby|hobbys|hobbies|leidenschaft ist|sind|bin X : hobby adds pref clear
I? bin I? ein|eine? einzelkind|linkshänder|linkshänderin|rechtshänder|frühaufsteher|frühaufsteherin|nichtraucher|nichtraucherin|langschläfer|langschläferin|nachteule|morgenmensch|katzenmensch|hundemensch|stubenhocker|nachtmensch : is trait adds value=x

// habits and occupations
bitte? empfiehl|schlag|schlage|erwähne|erinnere|frag|frage|schick|zeig|sprich|nenn|ruf mir|mich|Sie? nie|nicht|keine|niemals X : should_not wish adds is=wish
I wohne|lebe mit X zusammen : lives_with adds words=1-8
I? wohne|lebe I? allein|alleine : lives_with func value=niemand
I? gehe I? in_die X klasse : school_year func words=1-8
I? kann I? nicht schwimmen|autofahren|auto_fahren|kochen|tanzen|skifahren|radfahren|singen : cannot adds value=x
MY muttersprache ist|bin X : native_language func clear is=upper
I? trainiere I? bei|im|in X : gym func is=upper
I? fliege|fahre|reise I? am X nach X : trip plan is=date
I? engagiere I? mich X : volunteers_at habit adds
I? stehe I? immer|meistens|jeden_tag? um X auf : wake_up_time func habit is=number
I? spiele|sammle|unterrichte|trainiere|singe|züchte I? seit|in|im? X : % habit adds is=like clear deniable
I? nutze|benutze|verwende I? X : uses adds is=upper clear
I? gehe|laufe|schwimme|jogge|fahre|esse|trinke|lese|koche|backe|mache|trinke|treffe|besuche|schaue|arbeite|meditiere|habe|schreibe|übe|stehe|frühstücke|wandere|telefoniere|spiele|pendle|turne I? X : % habit adds is=habit clear
X gehe|laufe|schwimme|jogge|fahre|esse|trinke|lese|koche|backe|mache|treffe|besuche|arbeite|meditiere|telefoniere|spiele I X : % habit adds is=habit
I? habe I? aufgehört mit X : does habit denied change
I? habe I? mit X aufgehört : does habit denied change front
mit X ist schluss|vorbei|es_vorbei : does habit denied change
I? habe I? X aufgegeben : does habit denied change words=1-8
I? laufe|schwimme|jogge|koche|lese|meditiere|male|tanze|singe|wandere|rudere|reite I? nicht_mehr : % habit denied change
I? habe I? angefangen zu X : does habit change adds words=1-8
I? habe I? mit X angefangen : does habit change adds is=upper
I? bin I? ein|eine? X : works_as func is=person clear

// open nouns
MY N heißt|nennt_sich X : $ func clear
MY @thing ist|lautet|sind|bin X : $ func is=noun clear
MY @thing hat_sich_geändert|ist_jetzt|ist_neu ,|:|– jetzt? X : $ func change
MY N ist|lautet X : $ func is=value
am|um? X , nicht am|um? Y : it func change subject=it is=correction words=1-2
`

// sinceWhen returns the phrases for the time since when something holds: "seit Mai", "seit
// zwei Jahren".
func sinceWhen() string {
	var all []string
	for _, when := range strings.Fields("januar jänner februar märz april mai juni juli august september oktober november dezember ostern pfingsten weihnachten neujahr silvester montag dienstag mittwoch donnerstag freitag samstag sonntag") {
		all = append(all, "seit_"+when, "seit_"+when+"_letztes_jahr", "seit_letztem_"+when)
	}
	for _, when := range strings.Fields("jahr monat frühjahr frühling sommer herbst winter") {
		all = append(all, "seit_einem_"+when, "seit_letztem_"+when, "seit_diesem_"+when, "seit_dem_"+when)
	}
	for _, n := range strings.Fields("zwei drei vier fünf sechs sieben acht neun zehn elf zwölf fünfzehn zwanzig dreißig einigen vielen mehreren 2 3 4 5 6 7 8 9 10 11 12 15 20 25 30") {
		all = append(all, "seit_"+n+"_tagen", "seit_"+n+"_wochen", "seit_"+n+"_monaten", "seit_"+n+"_jahren")
	}
	return strings.Join(append(all, "seit_einer_woche"), " ")
}

// verbSecond returns the tokens with the verb of the German subordinate clause at token i,
// its subject, behind the subject: "weil ich in Köln wohne". What stands after "dass" is a
// statement only after an opener: "merk dir, dass ich vegan bin", not "er denkt, dass ich vegan
// bin".
func (r *reader) verbSecond(t []token, i int, opened bool) []token {
	if r.lex.of != "von" || i == 0 || !subordinates[t[i-1].word] && !(opened && t[i-1].word == "dass" && !r.lex.joins.in(t, i-2)) {
		return t
	}
	m, from := matcher{lex: r.lex, tokens: t}, i+1
	if _, n := r.personAt(t, i); n > 0 {
		from = i + n
	} else if r.lex.possessives[t[i].word] {
		from += m.nounLength(from)
	} else if !r.lex.subjects[t[i].word] && !persons[t[i].word] {
		return t
	}
	if from == len(t) || r.finite(t[from].word) {
		return t
	}
	for k := from; k < len(t) && (!t[k].mark || joinsWords(t[k].word)); k++ {
		joined := r.lex.joins.in(t, k+1)
		if !r.finite(t[k].word) || !(joined || k+1 == len(t) || t[k+1].mark) {
			continue
		}
		if t = slices.Concat(t[:from], t[k:k+1], t[from:k], t[k+1:]); !joined {
			break
		}
		k++ // "… und in Ulm arbeite"
		t[k].mark = true
		if from = k + 1; from < len(t) && r.lex.subjects[t[from].word] {
			from++
		}
	}
	return t
}

// subordinates are conjunctions after which German verbs stand last.
var subordinates = wordSet("weil da obwohl nachdem seitdem")

// finite reports whether a word is a verb of the German rows, in the first or third person.
func (r *reader) finite(w string) bool {
	w = cmp.Or(r.lex.third[w], r.lex.plural[w], r.lex.clipped[w], w)
	return r.lex.literals[w] && (strings.HasSuffix(w, "e") || slices.Contains([]string{"bin", "darf", "kann", "mag", "muss"}, w))
}

func german() *lexicon {
	l := &lexicon{
		subjects:    wordSet("ich wir"),
		possessives: wordSet("mein meine meinem meinen meiner meines unser unsere unserem unseren unserer unsren"),
		plural:      map[string]string{"sind": "bin", "haben": "habe", "fahren": "fahre", "heissen": "heisse", "essen": "esse", "mogen": "mag", "konnen": "kann", "durfen": "darf", "sprechen": "spreche", "spielen": "spiele", "wohnen": "wohne", "leben": "lebe", "arbeiten": "arbeite", "trinken": "trinke", "gehen": "gehe", "lieben": "liebe", "nutzen": "nutze", "kommen": "komme", "machen": "mache", "vertragen": "vertrage", "trainieren": "trainiere", "heiraten": "heirate", "sammeln": "sammle"},
		third:       map[string]string{"ist": "bin", "hat": "habe", "fahrt": "fahre", "isst": "esse", "heisst": "heisse", "spricht": "spreche", "tragt": "trage", "liest": "lese", "lauft": "laufe", "nimmt": "nehme", "geht": "gehe", "trifft": "treffe", "kann": "kann", "darf": "darf", "mag": "mag", "sich": "mich", "vertragt": "vertrage", "ihm": "mir", "ihr": "mir", "sammelt": "sammle"},
		thirdForms: func(w string) []string {
			if base, ok := strings.CutSuffix(w, "e"); ok && len(base) > 2 {
				return []string{base + "t", base + "et"}
			}
			return nil
		},
		prefixes:   wordSet("in im am an auf seit nach vor bei beim mit zu zum zur für von vom ab aus um über unter durch während wegen jeden jede jedes montags dienstags mittwochs donnerstags freitags samstags sonntags morgens abends mittags nachts heutzutage beruflich privat als zum"),
		articles:   wordSet("der die das den dem des ein eine einen einem einer eines"),
		vague:      wordSet("ich wir es das dies diese dieser dieses ihn sie ihm ihr du dich dir mich mir uns euch etwas alles nichts jemand niemand was wie warum wer wo wann ob so hier dort da problem frage idee meinung gefühl plan tipp vorschlag fehler sache dass zu nicht froh fall ernst moment eindruck ziel frage_ist sicher gespannt müde allergie recht lust angst frieden scheidung trennung armut hunger durst zeit geduld glück pech hammer beste größte letzte teufel wahnsinn typ albtraum alptraum katastrophe witz hölle schrott saustall zumutung frechheit loch"),
		timely:     wordSet("jeden jede jedes täglich wöchentlich monatlich jährlich morgens abends nachmittags vormittags nachts mittags wochenends montags dienstags mittwochs donnerstags freitags samstags sonntags werktags zweimal dreimal einmal"),
		olds:       wordSet("alter alte altes alten ehemaliger ehemalige früherer frühere"),
		news:       wordSet("neuer neue neues neuen neuem neuerdings"),
		her:        wordSet("sein seine seinen seinem seiner ihre ihren ihrem ihrer"),
		pronouns:   wordSet("er sie es man du ihr wer jemand"),
		of:         "von",
		peopleEnds: []string{"lehrer", "pfleger", "arbeiter", "berater", "entwickler", "programmierer", "fahrer", "verkaufer", "makler", "handler", "backer", "maler", "tischler", "schreiner", "techniker", "mechaniker", "informatiker", "elektriker", "musiker", "forscher", "designer", "manager", "trainer", "erzieher", "richter", "controller", "physiker", "mathematiker", "chemiker", "redakteur", "schuler", "friseur", "erin", "istin", "entin", "torin", "eurin", "login", "terin", "kerin", "anwaltin", "arztin", "kochin", "ist", "ent", "tor", "eur", "loge", "mann", "frau", "wirt", "wirtin", "anwalt", "arzt", "koch", "schwester", "hebamme", "beamter", "beamtin", "assistent", "gartner", "optiker", "apotheker", "bauer", "winzer", "imker", "buchhalter", "leiter", "betreuer", "bibliothekar", "steward", "pilot", "soldat", "student", "azubi", "uhrmacher", "klempner", "installateur", "dolmetscher", "ubersetzer", "schriftsteller", "autor", "notar", "tierpfleger", "sekretar", "sekretarin", "polizist", "meister", "meisterin"},
		belongs:    phrasesOf("raucher nichtraucher spender spenderin blutspender blutspenderin besitzer besitzerin liebhaber liebhaberin anfanger anfangerin mitglied laufer lauferin schwimmer schwimmerin sammler sammlerin mieter mieterin vermieter vermieterin nachbar nachbarin kunde kundin leser leserin horer trinker frühaufsteher fruhaufsteher langschlafer patient patientin mann frau autofahrer autofahrerin radfahrer radfahrerin fahrradfahrer motorradfahrer beifahrer optimist optimistin pessimist pessimistin realist realistin perfektionist perfektionistin egoist atheist atheistin minimalist feminist feministin christ christin buddhist"),
		traits:     wordSet("groß klein dick dünn alt jung nett lieb gut schlecht böse gemein streng hart weich faul klug schlau dumm doof blöd komisch seltsam ruhig still laut scheu cool heiß kalt warm krank gesund müde fertig platt kaputt gestresst gelangweilt traurig froh sauer wütend stolz blind taub stumm fit stark schwach blond dunkel blass reich arm pleite verheiratet ledig geschieden verwitwet verlobt schwanger tot weg da hier zuhause daheim unterwegs spät neu anders super toll klasse prima spitze mies fies zickig schwer fair ehrlich treu stur pingelig sauber chaotisch nervös ängstlich eifersüchtig verrückt irre genervt begeistert zufrieden pensioniert berentet arbeitslos deutsch schwul lesbisch vegan evangelisch katholisch jüdisch betrunken nüchtern wach okay ok dran schuld beamtet verletzt operiert gestorben verstorben farbenblind schwerhörig leer voll zu auf offen defekt fällig teuer billig langsam schnell"),
		traitEnds:  []string{"ig", "lich", "isch", "haft"},
		manners:    phrasesOf("kurz kurze kurzen knapp knappe knappen ausführlich ausführliche präzise einfach einfache einfachen förmlich locker höflich direkt stichpunkten stichpunkte stichworten sachlich kürzer kürzere verständlich prägnant prägnante bündig länger sätze sätzen ganze_sätze ganzen_sätzen fließtext wort fachbegriffe fachjargon bullet tabellen aufzählung lang lange"),
		units:      wordSet("metrisch metrische metrischen metrischem celsius fahrenheit kilometer kilometern kilogramm euro imperial meilen"),
		extra:      "der die das und ist nicht ein eine mit auf für ich wir du er sie es bitte dich mir mich dir heute hat war zu dem den von wie was auch noch schon wenn aber oder kannst hast bist wird über sind",
	}
	l.clipped = map[string]string{"hab": "habe", "geh": "gehe", "fahr": "fahre", "schreib": "schreibe", "rauch": "rauche", "vertrag": "vertrage", "mach": "mache", "wohn": "wohne", "spiel": "spiele", "lern": "lerne", "lauf": "laufe", "trink": "trinke", "ess": "esse", "hass": "hasse", "komm": "komme", "koch": "koche", "les": "lese", "steh": "stehe", "find": "finde", "nutz": "nutze", "benutz": "benutze", "treff": "treffe", "leb": "lebe", "hor": "hore", "sprech": "spreche", "lieb": "liebe", "arbeit": "arbeite", "nehm": "nehme", "nem": "einem", "nen": "einen", "ne": "eine"}
	l.adverbs.add("gerade eben ja halt eigentlich übrigens sehr wirklich total echt ganz schon bereits aktuell derzeit momentan zurzeit leider doch mal einfach vor_allem besonders nur seit_jahren seit_langem selbst persönlich beide endlich so stark schwer extrem leicht wohl ziemlich richtig absolut voll dann außerdem hauptberuflich beruflich seit_kurzem_erst gestern_erst erst noch", 0)
	l.adverbs.add("nicht nie niemals kein keine keinen keinem gar_nicht überhaupt_nicht kaum selten", flagNot)
	l.adverbs.add("nicht_mehr nie_mehr nie_wieder", flagEnds)
	l.adverbs.add("jetzt nun inzwischen mittlerweile neuerdings seit_kurzem seit_neuestem seit_gestern seit_heute seit_letzter_woche seit_letztem_monat seit_dieser_woche ab_sofort ab_jetzt von_nun_an künftig zukünftig ab_heute", flagNew)
	l.adverbs.add("meistens gewöhnlich normalerweise oft häufig regelmäßig üblicherweise jeden_tag jeden_morgen jeden_abend jede_woche jedes_jahr jedes_wochenende meist manchmal täglich", flagHabit)
	l.adverbs.add("immer stets", flagHabit|flagAlways)
	l.adverbs.add("auch ebenfalls zusätzlich noch_ein noch_eine noch_einen", flagAlso)
	l.adverbs.add("gestern vorgestern heute letzte_woche letzten_monat letztes_jahr letzten_sommer letzten_winter vorige_woche vergangene_woche vor_kurzem kürzlich bei_mir bei_uns", 0)
	l.adverbs.add(sinceWhen(), 0)
	l.keeps = phrasesOf(toKeep[1])
	l.openers.add(toKeep[1], 0)
	l.openers.add("also ok okay oh ach hi hey hallo ja nein_, nö übrigens zur_info nur_zur_info nur_dass_du_es_weißt fürs_protokoll merk_dir merk_dir_dass merk_dir_bitte_dass merke_dir_bitte denk_dran denk_daran denk_bitte_daran_dass vergiss_nicht vergiss_nicht_dass vergiss_nie vergiss_nie_dass du_musst_wissen du_solltest_wissen du_solltest_wissen_dass wichtig kleine_info kurze_info kleines_update kurzes_update update korrektur entschuldigung sorry wie_gesagt wie_du_weißt ehrlich_gesagt fyi btw danke moment halt stopp quatsch nee naja na_ja tja leider weil denn da dass nur_so nebenbei noch_was noch_etwas was_mich_angeht zu_mir zur_erinnerung gute_nachrichten neuigkeiten genau klar stimmt hm hmm ähm und_zwar wichtig_ist das_problem_ist mein_problem_ist fakt_ist tatsache_ist ich_wollte_dir_sagen ich_wollte_nur_sagen ich_möchte_dir_sagen ich_sollte_erwähnen ich_muss_sagen ich_muss_zugeben fun_fact bitte_merken zum_merken nochmal das_heißt vergiss_das doch_nicht", 0)
	l.openers.add("ab_jetzt ab_sofort künftig in_zukunft von_nun_an ab_heute", flagNew|flagAlways)
	l.openers.add("bitte", flagPlease)
	l.openers.add("auch außerdem", flagAlso)
	l.joins = phrasesOf("und aber denn sondern sowie weil doch da deshalb daher also jedoch dass nachdem seitdem obwohl")
	l.parents = wordSet("mama papa mutti vati oma opa")
	l.asks = phrasesOf("was wer wo wann warum wieso wie welche welcher welches welchen kannst_du können_sie könntest_du könnten_sie soll_ich sollte_ich sollen_wir hast_du haben_sie gibt_es ist_das ist_es bist_du sind_sie weißt_du darf_ich kann_ich kann_man hättest_du machst_du magst_du wohin woher womit wofür welchem wen wem wessen passt_das")
	l.blocksAll = phrasesOf("stell_dir_vor angenommen nehmen_wir_an rollenspiel in_meinem_roman in_der_geschichte in_meiner_geschichte meine_figur meine_hauptfigur die_hauptfigur mein_protagonist man_sagt es_heißt_dass ich_habe_gehört hab_gehört nur_spaß scherz war_nur_ein_witz spaß_beiseite ironie angeblich im_traum in_meinem_traum wer's_glaubt ja_klar na_klar_doch ja_sicher oh_ja_klar")
	l.blocks = phrasesOf("würde würden könnte könnten hätte hätten wäre wären möchte möchten vielleicht eventuell wahrscheinlich vermutlich möglicherweise wenn falls ob soll sollte sollten hoffe hoffentlich überlege plane planen denke glaube früher damals als_kind als_ich fast beinahe anscheinend scheinbar werde will wollen wollte wünschte träume träumte als_ob irgendwann morgen_werde nächste_woche nächsten_monat nächstes_jahr nächstes_mal nehme_an schätze mir_scheint gesagt_hat meint meinte gefühlt ehemals mal_sehen müsste dürfte wohnte arbeitete am_überlegen im_urlaub bis_vor war")
	l.passing = phrasesOf("gestern heute heute_abend heute_morgen vorhin gerade_eben heute_früh gestern_abend diesmal neulich")
	l.ends = phrasesOf("weil denn da obwohl aber sondern während wenn falls dass der_mich die_mich was weshalb deshalb daher seit_dem seit_jahren seit_ein seit_zwei seit_drei seit_fünf seit_vier seit_2019 seit_2020 seit_2021 seit_2022 seit_2023 seit_2024 seit_2025 seit letzte_woche letzten_monat letztes_jahr diese_woche im_januar im_februar im_märz im_april im_mai im_juni im_juli im_august im_september im_oktober im_november im_dezember und_ich und_wir und_mein und_meine statt anstatt als_ob nachdem bevor bis und_zwar deswegen ist sind war")
	l.trails.add("gekauft geholt angeschafft statt fließend heißt bitte übrigens eigentlich momentan derzeit zurzeit gerade ja halt aktuell persönlich sehr danke lol haha wirklich total , . : vor_allem besonders über_alles schon_immer so_sehr wahnsinnig einfach fix leider mal allergisch", 0)
	l.trails.add("jetzt nun inzwischen mittlerweile neuerdings stattdessen wieder ab_sofort ab_jetzt künftig", flagNew)
	l.trails.add("mehr nicht_mehr", flagEnds)
	l.trails.add("auch ebenfalls", flagAlso)
	l.instead = phrasesOf("statt anstatt anstelle_von")
	l.nots = phrasesOf("nicht und_nicht nicht_mehr")
	l.reports = phrasesOf("sagte sagt schrieb schreibt geschrieben gesagt meinte meint erzählte erzählt fragte fragt antwortete stand steht behauptet")
	l.reasons = phrasesOf("weil da denn")
	l.over = phrasesOf("als statt")
	l.notButs = [2]phrases{phrasesOf("nicht kein keine keinen nicht_mehr"), phrasesOf("sondern ,_sondern")}
	l.reacts = phrasesOf("es das dies diese dieser dieses diesen dein deine deinen deinem ihn sie dich euch ihr ihre wie was wenn dass zu so_was alles beides mehr einen_moment ihren die_idee den_vorschlag die_art deinen")
	l.users = phrasesOf("der_nutzer die_nutzerin der_benutzer die_benutzerin nutzer nutzerin benutzer user der_user die_person der_anwender dem_nutzer der_kunde die_kundin")
	l.people = phrasesOf("rentner rentnerin hausmann hausfrau")
	l.patterns = rows(germanRows)
	return l
}
