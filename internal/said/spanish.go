package said

import "strings"

// spanishRows are the patterns of Spanish. Verbs are in the first person singular;
// the subject is mostly omitted.
const spanishRows = `
// wishes
llámame|llamame|llámeme X : name func wish is=name clear
dime X : name func wish is=proper clear
tutéame|tuteame : form_of_address func wish value=tú
respóndeme|respondeme|contéstame|contestame|responde|contesta|escríbeme|escribe|háblame|habla|responda|conteste siempre? en #language : answer_language func wish clear
por_favor? responde|contesta|respóndeme|contéstame siempre? en|con menos_de|máximo|no_más_de X : answer_style func wish words=1-8
respóndeme|respondeme|contéstame|contestame|responde|contesta|escríbeme|escribe|explícame|explica|sé|se|sea|responda|conteste|dame|da|mantén|háblame|habla me|de|las|tus|respuestas? X : answer_style func wish is=manner clear
I prefiero|quiero|necesito respuestas|explicaciones X : answer_style func wish is=manner
quiero|prefiero que me? respondas|contestes|escribas|hables en #language : answer_language func wish clear
usa|utiliza|dame|use|utilice|pon|muestra el|las|los? sistema|unidades|temperaturas|distancias|medidas|precios? en? X : units func wish is=unit
sin|nada_de|no uses|utilices|pongas|use|mandes? más? emojis|emoticonos|emoticones : emojis func wish value=sin
a_partir_de_ahora|de_ahora_en_adelante|en_adelante|desde_ahora ,? X : should wish adds is=imperative clear
siempre X : should wish adds is=order
quiero que siempre|nunca X : should wish adds

// corrections
se llama X , no Y : name func subject=she words=1-8
se llama X : name func subject=she is=proper
es|quise_decir|quería_decir X , no Y : it func change subject=it words=1-8
no es Y , sino|es X : it func change subject=it words=1-8
el|los? X , no el|los? Y : it func change subject=it is=repair

// name, age, birth
me_llamo X : name func clear is=name
I? tengo X años : age func clear is=number
I? acabo_de_cumplir|cumplí|he_cumplido|acabo_de_hacer X años? : age func change is=number
MY cumpleaños es|cae el? X : birthday func trait clear is=date
I? cumplo años? el X : birthday func trait clear is=date
I? nací el X : birthday func trait is=date
I? nací en X : born_in func trait clear is=upper
I? crecí|me_crié en X : grew_up_in func trait clear is=upper
I? soy|vengo originalmente? de X : from func trait clear is=upper

// residence
I? vivo|resido en la? calle|avenida|plaza|paseo X : address func clear is=street deniable
I? vivo|resido ahora? en un|una Z en la? calle|avenida|plaza|paseo X : lives_in func is=upper
I? vivo|resido|estoy_viviendo|llevo_viviendo ahora? en|cerca_de X : lives_in func clear is=upper deniable
I? me|nos he|hemos? mudé|mudado|mudamos|trasladé|trasladado|trasladamos|cambié|cambiamos de|desde Y a X : lives_in func change clear is=upper
I? me|nos he|hemos? mudé|mudado|mudamos|mudo|trasladé|trasladado|trasladamos a|para X : lives_in func change clear is=upper
I? me|nos he|hemos? mudé|mudado|mudamos|cambié|cambiamos de_casa|de_piso? ,|:|y ahora? MY? vivo|estoy|piso_nuevo|casa_nueva|nueva_casa|nuevo_piso|es está|queda? en X : lives_in func change is=upper
MY|el|la nueva|nuevo? casa|piso|apartamento|departamento|hogar nueva|nuevo? está|queda|es en X : lives_in func clear is=upper
I? vivo solo|sola : lives_with func value=nadie
en X vivo I? : lives_in func is=upper

// work
I? trabajo de|como X en|para|con Z : works_as func clear is=post
I? trabajo de|como X : works_as func clear is=post
I? trabajo en|para X : works_at func clear is=place deniable
I? estoy_trabajando en|para X : works_at func clear is=employer deniable
I? trabajo en|con X : works_in func clear deniable is=field
I? estudio X en Z : studies func
I? estudio|estoy_estudiando en X : studies_at func is=upper
I? estudio|estoy_estudiando X : studies func is=studies
I? dejé|he_dejado|renuncié|me_fui Y y|, ahora? empecé|entré|trabajo|estoy|me_pasé|me_uní ahora? en|a|con? X : works_at func change clear is=upper
I? me_cambié|me_he_cambiado|cambié|cambiamos|pasé|he_pasado de Y a X : uses func change clear is=upper
I? he? empecé|empezado|empiezo|entré|comencé a_trabajar? en|con|para X : works_at func change clear is=upper
I? tengo|conseguí|encontré|he_conseguido|he_encontrado un|nuevo? trabajo|empleo|puesto nuevo? en|como|de X : works_at func change clear is=upper
I? dejé|he_dejado|renuncié|perdí a? MY|el? trabajo|empleo|puesto en X : works_at denied change clear is=upper
I? dejé|he_dejado|renuncié|perdí|renuncié_a a? MY|el? trabajo|empleo|puesto : works_at denied change clear
I? estoy|soy|me_he|me jubilado|jubilada|jubilé|desempleado|desempleada|en_paro|en_el_paro|sin_trabajo|autónomo|autónoma|freelance|freelancer : works_as func value=retired

// vehicles, belongings
I? he|hemos? vendí|vendido|vendimos el|la|MY viejo|vieja? @thing y|, ahora? I? ahora? compré|compramos|tengo|tenemos|conduzco|llevo|comprado|un|una un|una? X : $ func change clear
I? he|hemos? vendí|vendido|vendimos|regalé el|la|MY @thing : $ denied change clear
I? he|hemos? vendí|vendido|vendimos el|la|MY X : owns denied change is=upper
I? ya? no tengo @thing : $ denied clear
I? conduzco|manejo un|una X : car func clear is=upper deniable
I? tengo|conduzco|compré|nos_compramos|me_compré|he_comprado un|una nuevo|nueva? @thing nuevo|nueva? ,|:|–? un|una? X : $ func clear is=upper
el|la? nuevo|nueva @thing es|: X : $ func change is=noun
@thing|role : X : $ func reported
I? cambié|he_cambiado|cambiamos el|la|MY @thing por un|una? X : $ func change
I? cambié|he_cambiado|cambiamos el|la|MY Y por un|una? X : owns change

// people
MY @bearer se_llama|me_llama|me_llamo X : $ func clear
MY @kin es|soy X : $ adds is=proper
MY @pet es un|una X : pet_breed adds subject=$ words=1-8
MY @role es|soy X : $ func clear is=title
el|la @kin|role de I es|se_llama X : $ func clear is=title
el|la @thing de I es X : $ func is=noun
MY @kin|role ,|:|– X : $ func is=entire
I? tengo|adopté|adoptamos|hemos_adoptado un|una|otro|otra @kin|pet mayor|menor|pequeño|pequeña? que_se_llama|llamado|llamada|, X : $ adds is=proper clear
I? tengo|encontré|voy_a nuevo|nueva|un|una nuevo|nueva? @role nuevo|nueva ,|:|– X : $ func change is=title
I? he|hemos? cambié|cambiado|cambiamos de @role ,|:|y|– ahora? me? voy_con|voy_al|voy_a|es|atiende|tengo|lleva|con|el|la? ahora? es? X : $ func change clear is=title
I? he|hemos? cambié|cambiado|cambiamos de @place ,|:|y|– ahora? me? voy_al|voy_a|voy|es|estoy|entreno? ahora? en|al|a|es? X : $ func change clear is=upper
X es|soy MY nuevo|nueva? @role nuevo|nueva? : $ func is=title clear
X es|soy MY @kin|pet : $ adds is=proper clear
I? tengo un|una|dos|tres|cuatro|cinco #kin : has_family adds clear
I? tengo un|una|dos|tres|cuatro|cinco #pet : has_pet adds clear
I? no tengo #pet : has_pet denied
I? no tengo #kin : has_family denied
I murió|ha_muerto|se_murió|se_me_murió|se_nos_murió|falleció|ha_fallecido el|la|esta|este|ayer|anoche|hace|en? Z? : died denied change
murió|ha_muerto|se_murió|se_me_murió|se_nos_murió|se_nos_ha_muerto|falleció|ha_fallecido X : lost denied change is=close
I? estoy|soy casado|casada|casados con X : spouse func clear is=upper
I? salgo|estoy_saliendo con X : partner func is=proper
I? estoy|soy #status : marital_status func clear
I? me_divorcié|nos_divorciamos|me_he_divorciado|me_casé|nos_casamos|me_he_casado : marital_status func change value=married
I? rompí|terminé con MY @role : $ denied change

// health and diet
I? soy|tengo alérgico|alérgica|alergia|intolerante a|al|a_la|a_los|a_las X : allergic_to adds clear is=like deniable
I? no puedo comer|tomar|beber|consumir|probar X : cannot_eat adds clear
I? no como|pruebo|consumo|tolero X : cannot_eat adds clear is=food
I? no bebo|tomo X : does_not_drink adds clear is=food
X me sienta|sientan|cae|caen mal : cannot_eat adds
I? dejé|he_dejado de comer|tomar|beber X : cannot_eat adds change clear
I? dejé|he_dejado de fumar : does_not adds change value=fumar
I? no fumo|bebo : does_not adds value=fumar
I? vuelvo_a|he_vuelto_a|volví_a comer|beber|tomar X : eats change adds
I? soy|como|sigo|me_he_hecho|me_hice|me_he_vuelto|me_volví una? dieta? #diet : diet func clear deniable
I? tengo|padezco|sufro|soy de? #condition : has_condition adds clear
I? me_diagnosticaron|me_han_diagnosticado X : has_condition adds change clear
I? uso|llevo gafas|lentes|lentillas|audífonos : wears adds value=gafas
I? tomo X todos_los_días|cada_día|cada_noche|cada_mañana|a_diario|por_las_mañanas|por_la_noche : takes adds habit

// languages
I? no hablo X : speaks denied is=languages
I? calzo un|el? X : shoe_size func is=digits
I? ya no voy|hago|practico|uso|juego a|al|con? X : does habit denied change is=like
I? hablo bien|con_fluidez? X : speaks adds clear is=languages
I? estoy_aprendiendo|aprendo|estudio #language : learns adds

// membership, schedules
I? soy miembro|socio|socia del|de|de_la X : member_of adds clear
I? me_uní|me_apunté|me_he_apuntado|me_inscribí|me_he_unido|me_hice_socio|me_hice_socia a|al|del|de|en|a_la X : member_of adds change clear
I? me_di|me_he_dado de_baja de|del|en X : member_of denied change clear
I? cancelé|he_cancelado MY|la membresía|suscripción de|del|en|a X : member_of denied change
el|la|los|las|MY @activity ahora? es|son|toca|tocan ahora? los|el? X : schedule func subject=$ habit is=day clear
el|la|los|las|MY @activity se? ha|han? pasó|pasaron|cambió|cambiado|movió|movido|pasado|pasa|pasan|trasladó Z? al|a_los|para|a X : schedule func change subject=$ habit is=day clear
el|la|los|las N es|son ahora? cada|todos_los|los X : schedule func subject=$ habit is=day
el|la|los|las N se? ha|han? pasa|pasan|pasado al|a_los X : schedule func change subject=$ habit is=day
el|la|los|las @activity lo|la|los|las tengo|hago los|el|todos_los|cada X : schedule subject=$ habit is=day clear
I? tengo|voy_a|hago|practico|voy clase|clases? a|de? @activity los|el|todos_los|cada X : schedule subject=$ habit is=day clear
los|cada|todos_los X tengo|voy_a|hago|practico|voy clase|clases? a|de? @activity : schedule subject=$ habit is=day clear

// dated events
MY N es|empieza|será el X : $ event func is=date
I? tengo un|una|el|la|MY? N el X : $ event is=date
I? me_caso|nos_casamos el X : wedding event func is=date

// likes
MY N favorito|favorita|preferido|preferida|favoritos|favoritas ahora? es|son|era X : favourite_$ func pref clear
X es|son MY N favorito|favorita|preferido|preferida : favourite_$ func pref
I? prefiero X : prefers pref adds clear is=like
I? soy más de|del X : prefers pref adds clear is=like
me_flipa|me_flipan|me_chifla|me_chiflan|me_mola|me_molan|me_gusta_más|me_late X : likes pref adds clear is=like
a MY @kin les|le? gusta|gustan|encanta|encantan|fascina|fascinan X : likes pref adds subject=$ is=like
a? mí|I? me|nos gustan|gusta|encantan|encanta|fascinan|fascina|chifla|apasiona|apasionan mucho|más|muchísimo? X : likes pref adds deny=dislikes clear is=like
X me|nos gustan|gusta|encantan|encanta|fascinan|fascina|apasiona|apasionan mucho|muchísimo|más? : likes pref adds deny=dislikes is=like
I? adoro|amo|disfruto|me_interesa|me_interesan de|del|la|el? X : likes pref adds clear is=like
I? odio|detesto|aborrezco|no_soporto|no_aguanto X : dislikes pref adds clear is=like
X no lo|la|los|las soporto|aguanto : dislikes pref adds
I? soy un|una? gran|muy? fan|fanático|fanática|aficionado|aficionada|amante|apasionado|apasionada de|del|a|al X : likes pref adds clear is=like
I? tengo miedo|fobia a|al|de X : fears adds
I? me_da|me_dan miedo|pánico|asco X : dislikes pref adds is=like
MY pasión|afición|hobby|pasatiempo|aficiones|pasatiempos|hobbies es|son X : hobby adds pref clear
I? soy hijo_único|hija_única|madrugador|madrugadora|zurdo|zurda|noctámbulo|introvertido|introvertida|perfeccionista|friolero|friolera : is trait adds value=x

// habits and occupations
no|nunca me? uses|utilices|recomiendes|sugieras|menciones|hables|preguntes|llames|propongas|envíes|pongas|ofrezcas|recuerdes X : should_not wish adds is=wish clear
I? no sé nadar|conducir|cocinar|bailar|esquiar|cantar : cannot adds value=x
I? mido X : height func is=digits
MY lengua_materna|idioma_materno|lengua es X : native_language func clear
I? soy|hago voluntario|voluntaria|voluntariado en X : volunteers_at habit adds
I? toco|colecciono|enseño|entreno|canto|juego|doy_clases|cultivo|crío|practico al|a|de? X : % habit adds is=like clear deniable
I? uso|utilizo X : uses adds is=upper clear
I? me_levanto|me_despierto a_las X : wake_up_time func habit is=number
I? me_acuesto a_las X : bedtime func habit is=number
I? voy al gimnasio X : gym func is=upper
I? cuido|corro|nado|cocino|leo|voy|hago|salgo|tomo|bebo|como|desayuno|ceno|medito|camino|veo|escucho|escribo|pinto|bailo|visito|llamo|trabajo|juego|estudio|quedo|monto|compro|ando|paseo|duermo X : % habit adds is=habit clear
I? todos_los|todas_las|cada|los X cuido|corro|nado|cocino|leo|voy|hago|salgo|tomo|desayuno|ceno|medito|camino|veo|escribo|pinto|bailo|visito|llamo|juego|quedo|paseo|monto X : % habit adds clear
I? suelo X : does habit adds clear
I? soy un|una? X : works_as func is=person clear

// open nouns
MY N se_llama|me_llama|me_llamo X : $ func clear
MY @thing es|soy|son X : $ func is=noun clear
MY N es|son X : $ func is=value
`

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
	l.blocks = phrasesOf("de_risa de_la_risa de_vergüenza de_aburrimiento de_envidia de_hambre de_miedo de_sueño de_ganas quizás quizá tal_vez podría podríamos sería gustaría encantaría querría quisiera ojalá debería deberíamos si cuando_era de_niño de_niña de_pequeño de_pequeña antes_vivía antes_trabajaba antes_tenía antes_era antes_me antes_yo creo pienso a_lo_mejor puede_que parece supuestamente aparentemente voy_a_mudarme voy_a_vivir vamos_a_mudarnos quiero queremos espero casi planeo pensando probablemente posiblemente igual_me viviría trabajaría tendría hubiera hubiese fuera fuese como_si algún_día próxima_semana próximo_mes próximo_año semana_que_viene mes_que_viene año_que_viene soñaba vivía trabajaba tenía seguramente no_sé duda dudo mi_ex depende")
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
