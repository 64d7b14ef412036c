package said

import (
	_ "embed"
	"strings"
)

// spanishRows are the patterns of Spanish. Verbs are in the first person singular;
// the subject is mostly omitted.
//
//go:embed patterns/es.txt
var spanishRows string

func spanish() *lexicon {
	l := &lexicon{
		subjects:    wordSet("yo nosotros nosotras"),
		possessives: wordSet("mi mis nuestro nuestra nuestros nuestras"),
		plural:      map[string]string{},
		bare:        true,
		third: map[string]string{"es": "soy", "esta": "estoy", "tiene": "tengo", "conduce": "conduzco", "maneja": "manejo", "prefiere": "prefiero", "se": "me", "le": "me", "va": "voy", "hace": "hago", "ha": "he",
			"mudó": "mude", "trasladó": "traslade", "vendió": "vendi", "cambió": "cambie", "compró": "compre", "dejó": "deje", "empezó": "empece", "nació": "naci", "creció": "creci", "llama": "llamo", "juega": "juego", "suele": "suelo", "viene": "vengo", "cumple": "cumplo", "puede": "puedo", "toca": "toco", "sale": "salgo", "sigue": "sigo", "ella": "\x01", "el": "el"},
		thirdForms: func(w string) []string {
			if base, ok := strings.CutSuffix(w, "o"); ok && len(base) > 2 {
				return []string{base + "a", base + "e"}
			}
			return nil
		},
		prefixes:   wordSet("en a de del al desde hace para por con sin los las cada todos todas hasta sobre entre durante según como profesionalmente"),
		articles:   wordSet("el la los las un una unos unas"),
		vague:      wordSet("lo eso esto esta este ese esa aquello algo nada todo todos nadie alguien que qué como cómo cuando donde quien más menos así aquí allí allá problema problemas pregunta idea opinión plan error duda consejo culpa vez verdad vida muy bien mal mucho mucha mejor peor único única otro otra mismo misma mitad parte acuerdo forma buen buena ruina desastre pesadilla infierno caos basura mierda lata maravilla locura timo"),
		timely:     wordSet("cada todos todas diariamente lunes martes miércoles jueves viernes sábados domingos mañanas tardes noches fines veces semanalmente diario"),
		olds:       wordSet("antiguo antigua viejo vieja anterior ex"),
		news:       wordSet("nuevo nueva nuevos nuevas"),
		her:        wordSet("su sus"),
		pronouns:   wordSet("él ella ellos ellas tú usted ustedes quien se le"),
		of:         "de",
		peopleEnds: []string{"ero", "era", "ista", "or", "ora", "ogo", "oga", "medico", "tecnico", "mecanico", "informatico", "quimico", "fisico", "musico", "musica", "tecnica", "informatica", "electricista", "cirujano", "cirujana", "dependiente", "gerente", "asistente", "agente", "comerciante", "cantante", "actriz", "profe", "chef", "juez", "piloto", "abogado", "abogada", "arquitecto", "arquitecta", "jubilado", "jubilada", "contable", "guia", "policia", "autonomo", "estudiante", "matrona", "abogado", "cocinero", "albanil", "chofer", "funcionario", "funcionaria", "becario", "becaria", "veterinario", "veterinaria", "bibliotecario", "bibliotecaria", "empresario", "empresaria", "licenciado", "ingeniero", "madre", "padre"},
		belongs:    phrasesOf("fumador fumadora donante amante miembro socio corredor corredora nadador nadadora lector lectora coleccionista principiante vecino vecina inquilino inquilina extranjero extranjera cliente usuario usuaria bebedor bebedora madrugador madrugadora soñador soñadora mayor menor amor horror optimista pesimista perfeccionista feminista realista egoísta idealista minimalista comunista"),
		traits:     wordSet("alto alta bajo baja gordo gorda flaco flaca delgado delgada viejo vieja mayor joven bueno buena malo mala majo maja simpático simpática antipático antipática serio seria duro dura estricto estricta vago vaga listo lista tonto tonta raro rara gracioso graciosa callado callada tímido tímida tranquilo tranquila frío fría enfermo enferma sano sana cansado cansada triste feliz contento contenta orgulloso orgullosa celoso celosa ciego ciega sordo sorda mudo muda fuerte débil calvo calva rubio rubia moreno morena rico rica pobre casado casada soltero soltera divorciado divorciada viudo viuda embarazada muerto muerta nuevo nueva diferente genial estupendo estupenda horrible terrible pesado pesada insoportable encantador encantadora exigente paciente honesto honesta terco terca pijo pija loco loca vegano vegana vegetariano vegetariana católico católica gay lesbiana alérgico alérgica diabético diabética daltónico daltónica zurdo zurda jubilado jubilada autista español española argentino argentina mexicano mexicana colombiano colombiana peruano peruana chileno chilena italiano italiana francés francesa inglés inglesa alemán alemana chino china ruso rusa agotador agotadora caro cara barato barata lento lenta aries tauro géminis virgo libra escorpio sagitario capricornio acuario piscis"),
		traitEnds:  []string{"oso", "osa", "able", "ible"},
		manners:    phrasesOf("breve brevemente corto corta cortas cortos concisa conciso concisas concisamente corto directo directa claro claramente detalle detalladas detalladamente sencillo sencilla sencillas sencillamente formal formalmente informal resumido resumidas puntos breves largas largos simple simples rodeos grano formalidad tecnicismos"),
		units:      wordSet("métrico métrica métricas celsius fahrenheit kilómetros kilos euros imperial millas centígrados"),
		extra:      "el la los las que es un una y no con para por mi me te se lo en de del al está son muy pero cómo qué más hoy ya puedes tengo este esta eso soy si gracias hola bien sobre quiero fue ha he",
	}
	for _, pair := range [][2]string{{"vivimos", "vivo"}, {"somos", "soy"}, {"estamos", "estoy"}, {"tenemos", "tengo"}, {"trabajamos", "trabajo"}, {"hablamos", "hablo"}, {"nos", "me"}, {"comemos", "como"}, {"bebemos", "bebo"}, {"preferimos", "prefiero"}, {"vamos", "voy"}, {"hacemos", "hago"}, {"jugamos", "juego"}, {"usamos", "uso"}, {"solemos", "suelo"}, {"podemos", "puedo"}, {"conducimos", "conduzco"}, {"adoramos", "adoro"}, {"odiamos", "odio"}} {
		l.third[pair[0]], l.plural[pair[0]] = pair[1], pair[1]
	}
	l.adverbs.add("ya realmente muy mucho muchísimo actualmente recién recientemente por_fin finalmente solo sólo sí también_yo todavía aún sobre_todo especialmente bastante personalmente la_verdad simplemente principalmente originalmente desde_siempre de_verdad tanto pues hace_poco ambos últimamente_solo por_desgracia severamente", 0)
	l.adverbs.add("no nunca jamás tampoco apenas", flagNot)
	l.adverbs.add("ya_no", flagEnds)
	l.adverbs.add("ahora desde_hace_poco últimamente desde_ayer desde_hoy a_partir_de_ahora de_ahora_en_adelante hoy_en_día desde_la_semana_pasada nuevo nueva", flagNew)
	l.adverbs.add("normalmente generalmente a_menudo habitualmente usualmente todos_los_días cada_día cada_mañana cada_noche cada_semana cada_año todas_las_semanas todas_las_mañanas a_veces por_lo_general casi_siempre", flagHabit)
	l.adverbs.add("siempre", flagHabit|flagAlways)
	l.adverbs.add("también además otro_más", flagAlso)
	l.keeps = phrasesOf(toKeep[2])
	l.openers.add(toKeep[2], 0)
	l.openers.add("bueno pues ok vale hola oye ah oh sí si_, no_, por_cierto para_que_lo_sepas para_tu_información que_sepas_que recuerda_que recuerda no_olvides_que nunca_olvides_que ten_en_cuenta_que toma_nota apunta apunta_que importante aviso novedad novedades corrección perdón perdona como_sabes como_te_dije la_verdad_es_que la_verdad sinceramente gracias actualización fyi quería_decirte_que quería_contarte_que quiero_que_sepas_que debería_mencionar_que te_cuento_que te_cuento debo_decir_que desgraciadamente lamentablemente afortunadamente buenas_noticias noticias porque ya_que dado_que es_que resulta_que en_cuanto_a_mí en_mi_caso para_mí yo_personalmente dato dato_curioso un_dato una_cosa eso_sí claro exacto bueno_pues mira bien olvida_eso no_espera espera buenas por_si_acaso por_si_te_sirve nunca_lo_olvides así_que_ya_sabes como_dato", 0)
	l.openers.add("a_partir_de_ahora de_ahora_en_adelante en_adelante desde_ahora a_partir_de_hoy", flagNew|flagAlways)
	l.openers.add("por_favor porfa porfavor", flagPlease)
	l.openers.add("también además", flagAlso)
	l.joins = phrasesOf("y e pero porque así_que aunque sino ya_que pues mientras por_eso entonces o_sea además")
	l.asks = phrasesOf("qué que_me cuál cuáles cómo dónde cuándo quién por_qué cuánto cuántos puedes puede podrías podría me_recomiendas me_puedes debería hay sabes tienes conoces crees te_parece alguna algún alguna_idea me_ayudas qué_tal es_posible puedo podemos recomiéndame ayúdame dime_qué")
	l.blocksAll = phrasesOf("imagina imagínate supongamos finge hagamos_como_que juego_de_rol en_mi_novela en_la_historia en_mi_cuento en_mi_historia mi_personaje el_personaje el_protagonista mi_protagonista la_protagonista dicen_que he_oído_que según_dicen es_broma era_broma broma ironía en_mi_sueño soñé_que sarcasmo sí_claro ay_sí")
	l.blocks = phrasesOf("nada_más_terminar nada_más_acabar al_terminar_la_carrera al_acabar_la_carrera de_risa de_la_risa de_vergüenza de_aburrimiento de_envidia de_hambre de_miedo de_sueño de_ganas quizás quizá tal_vez podría podríamos sería gustaría encantaría querría quisiera ojalá debería deberíamos si cuando_era de_niño de_niña de_pequeño de_pequeña antes_vivía antes_trabajaba antes_tenía antes_era antes_me antes_yo creo pienso a_lo_mejor puede_que parece supuestamente aparentemente voy_a_mudarme voy_a_vivir vamos_a_mudarnos quiero queremos espero casi planeo pensando probablemente posiblemente igual_me viviría trabajaría tendría hubiera hubiese fuera fuese como_si algún_día próxima_semana próximo_mes próximo_año semana_que_viene mes_que_viene año_que_viene soñaba vivía trabajaba tenía seguramente no_sé duda dudo mi_ex depende")
	l.passing = phrasesOf("hoy ayer anoche esta_noche esta_mañana esta_tarde ahora_mismo hace_un_rato el_otro_día mañana_por")
	l.ends = phrasesOf("porque ya_que aunque pero sino mientras cuando si que donde desde_hace desde_que desde_2019 desde_2020 desde_2021 desde_2022 desde_2023 desde_2024 desde_enero desde_marzo desde hace_dos hace_tres hace_un hace_una hace_años la_semana_pasada el_mes_pasado el_año_pasado este_año este_mes esta_semana y_mi y_yo y_me y_es y_no en_vez_de en_lugar_de para_que así_que por_eso gracias_a debido_a en_enero en_febrero en_marzo en_abril en_mayo en_junio en_julio en_agosto en_septiembre en_octubre en_noviembre en_diciembre es son está")
	l.trails.add("por_favor por_cierto personalmente actualmente la_verdad mucho muchísimo jaja lol siempre gracias de_momento por_ahora desde_siempre más sobre_todo especialmente ya , . : bastante un_montón tanto comprado", 0)
	l.trails.add("ahora últimamente en_su_lugar otra_vez de_nuevo a_partir_de_ahora de_ahora_en_adelante", flagNew)
	l.trails.add("ya_no nunca_más", flagEnds)
	l.trails.add("también además", flagAlso)
	l.instead = phrasesOf("en_vez_de en_lugar_de")
	l.nots = phrasesOf("no y_no")
	l.repairs = wordSet("no perdona perdón corrección digo")
	l.reports = phrasesOf("dijo dice escribió puso pone contó preguntó pregunta respondió responde_él decía")
	l.reasons = phrasesOf("porque ya_que como pues dado_que")
	l.over = phrasesOf("a al antes_que que")
	l.notButs = [2]phrases{phrasesOf("no"), phrasesOf("sino ,_sino")}
	l.reacts = phrasesOf("decir decirlo decirte eso esto ese esa esos esas este esta estos estas tu tus lo que cómo cuando tú te verte saber ver_que la_idea tu_idea la_propuesta más mucho tanto todo así oír oírlo leerte hablar_contigo contigo su la_forma")
	l.users = phrasesOf("el_usuario la_usuaria usuario usuaria el_cliente la_clienta la_persona al_usuario")
	l.people = phrasesOf("ama_de_casa amo_de_casa")
	l.patterns = rows(spanishRows)
	return l
}
