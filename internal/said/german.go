package said

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
)

// germanRows are the patterns of German. Verbs are in the first person singular;
// the subject may precede or follow them.
//
//go:embed patterns/de.txt
var germanRows string

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
		prefixes:   wordSet("in im am an auf seit nach vor bei beim mit zu zum zur für von vom ab aus um über unter durch gegen ohne während wegen jeden jede jedes montags dienstags mittwochs donnerstags freitags samstags sonntags morgens abends mittags nachts heutzutage beruflich privat als zum"),
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
	l.blocks = phrasesOf("würde würden könnte könnten hätte hätten wäre wären möchte möchten vielleicht eventuell wahrscheinlich vermutlich möglicherweise wenn falls ob soll sollte sollten hoffe hoffentlich überlege plane planen denke glaube früher damals als_kind als_ich fast beinahe anscheinend scheinbar werde will wollen wollte wünschte träume träumte als_ob irgendwann morgen_werde nächste_woche nächsten_monat nächstes_jahr nächstes_mal nehme_an schätze mir_scheint gesagt_hat meint meinte gefühlt ehemals mal_sehen müsste dürfte wohnte arbeitete am_überlegen im_urlaub bis_vor war direkt_nach_dem_studium direkt_nach_der_schule direkt_nach_der_uni direkt_nach_der_ausbildung gleich_nach_dem_studium gleich_nach_der_schule gleich_nach_der_uni gleich_nach_der_ausbildung frisch_von_der_uni")
	l.passing = phrasesOf("gestern heute heute_abend heute_morgen vorhin gerade_eben heute_früh gestern_abend diesmal neulich")
	l.ends = phrasesOf("weil denn da obwohl aber sondern während wenn falls dass der_mich die_mich was weshalb deshalb daher seit_dem seit_jahren seit_ein seit_zwei seit_drei seit_fünf seit_vier seit_2019 seit_2020 seit_2021 seit_2022 seit_2023 seit_2024 seit_2025 seit letzte_woche letzten_monat letztes_jahr diese_woche im_januar im_februar im_märz im_april im_mai im_juni im_juli im_august im_september im_oktober im_november im_dezember und_ich und_wir und_mein und_meine statt anstatt als_ob nachdem bevor bis und_zwar deswegen ist sind war")
	l.trails.add("gekauft geholt angeschafft statt fließend sofort heißt bitte übrigens eigentlich momentan derzeit zurzeit gerade ja halt aktuell persönlich sehr danke lol haha wirklich total , . : vor_allem besonders über_alles schon_immer so_sehr wahnsinnig einfach fix leider mal allergisch", 0)
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
