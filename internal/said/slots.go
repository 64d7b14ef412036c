package said

import (
	"regexp"
	"strings"
)

// class groups nouns that behave alike.
type class byte

const (
	noClass    class = iota
	role             // a person in a role, one at a time: dentist
	kin              // a relative; there may be several: sister
	friend           // one of many people: colleague
	pet              // an animal: dog
	thing            // a belonging, one at a time: car, address
	topic            // something one can have a favourite of: colour
	condition        // an illness or intolerance
	activity         // something with a schedule: yoga
	place            // something one can be a member of: gym
	diet             // a way of eating
	status           // a civil status
	occupation       // a status instead of a job: retired
	language
	weekday
	drug // a medicine, by [isDrug]
)

var classNames = map[string]class{
	"role": role, "kin": kin, "friend": friend, "pet": pet, "thing": thing, "topic": topic, "condition": condition,
	"activity": activity, "place": place, "diet": diet, "status": status, "occupation": occupation, "language": language, "day": weekday, "drug": drug,
}

// noun is an entry of the table of nouns.
type noun struct {
	canon string
	class class
}

// nounTable lists the nouns of all languages: class, canonical name, then the
// words for it. A word may be in several classes; a pattern asks for one.
const nounTable = `
role dentist: dentist zahnarzt zahnärztin dentista 牙医 牙醫
role doctor: doctor gp physician family_doctor hausarzt hausärztin arzt ärztin médico médica doctora médico_de_cabecera médica_de_cabecera 医生 家庭医生 醫生 主治医生 大夫 主治大夫
role boss: boss manager supervisor line_manager team_lead chef chefin vorgesetzter vorgesetzte jefe jefa 老板 上司 领导 老闆 主管 经理 店长
role trainer: trainer personal_trainer coach trainerin entrenador entrenadora entrenador_personal 教练 私教 教練
role landlord: landlord landlady vermieter vermieterin casero casera 房东 房東
role teacher: teacher tutor lehrer lehrerin klassenlehrerin klassenlehrer profesor profesora maestro maestra 老师 老師
role class_teacher: 班主任
role piano_teacher: piano_teacher klavierlehrer klavierlehrerin profesor_de_piano profesora_de_piano 钢琴老师
role therapist: therapist psychologist psychiatrist counsellor counselor therapeut therapeutin psychologe psychologin terapeuta psicólogo psicóloga 治疗师 心理医生 心理咨询师
role physiotherapist: physio physiotherapist physiotherapeut physiotherapeutin fisioterapeuta fisio 理疗师 康复师
role hairdresser: hairdresser barber hairstylist friseur friseurin friseuse peluquero peluquera 理发师 发型师
role lawyer: lawyer attorney solicitor anwalt anwältin rechtsanwalt rechtsanwältin abogado abogada 律师 律師
role accountant: accountant tax_adviser tax_advisor steuerberater steuerberaterin contable gestor gestora asesor asesora 会计 税务顾问 代账会计 代账
role vet: vet veterinarian tierarzt tierärztin veterinario veterinaria 兽医
role pediatrician: pediatrician paediatrician kinderarzt kinderärztin pediatra 儿科医生
role optician: optician optometrist augenarzt augenärztin optiker optikerin oculista oftalmólogo oftalmóloga 眼科医生
role cleaner: cleaner cleaning_lady putzfrau putzhilfe reinigungskraft limpiadora 保洁 钟点工 阿姨
role babysitter: babysitter nanny childminder tagesmutter niñera canguro 保姆 月嫂 育儿嫂
role mechanic: mechanic mechaniker mecánico 修车师傅
role assistant: personal_assistant secretary sekretärin secretaria 秘书 助理 助手
role adviser: adviser advisor supervisor betreuer betreuerin doktorvater doktormutter tutora tutor_de_tesis director_de_tesis 导师 導師
role mentor: mentor mentorin mentora
role emergency_contact: emergency_contact notfallkontakt contacto_de_emergencia 紧急联系人
role best_friend: best_friend beste_freundin bester_freund mejor_amigo mejor_amiga 最好的朋友 闺蜜
role partner: partner girlfriend boyfriend partnerin lebensgefährte lebensgefährtin freundin pareja novio novia 女朋友 男朋友 女友 男友 对象 伴侣
role spouse: wife husband spouse frau mann ehefrau ehemann mujer marido esposa esposo 妻子 丈夫 老婆 老公 太太 先生 爱人 愛人
role fiance: fiancé fiancée fiance fiancee verlobter verlobte prometido prometida 未婚妻 未婚夫
role flatmate: flatmate roommate housemate mitbewohner mitbewohnerin compañero_de_piso compañera_de_piso 室友
role neighbour: neighbour neighbor nachbar nachbarin vecino vecina 邻居 鄰居
role mother: mother mum mom mama mutter mutti madre mamá 妈妈 母亲 妈 老妈 老娘
role father: father dad papa vater vati padre papá 爸爸 父亲 爸 老爸 老汉 老汉儿 老头子
role mother_in_law: mother-in-law schwiegermutter suegra 岳母 婆婆
role father_in_law: father-in-law schwiegervater suegro 岳父 公公
kin sister: sister little_sister big_sister older_sister younger_sister elder_sister eldest_sister oldest_sister youngest_sister sis schwester kleine_schwester große_schwester ältere_schwester jüngere_schwester hermana hermana_mayor hermana_menor 姐姐 妹妹 姐 妹
kin brother: brother little_brother big_brother older_brother younger_brother elder_brother eldest_brother oldest_brother youngest_brother bro bruder kleiner_bruder großer_bruder älterer_bruder jüngerer_bruder hermano hermano_mayor hermano_menor 哥哥 弟弟 哥 弟
kin daughter: daughter older_daughter younger_daughter elder_daughter eldest_daughter oldest_daughter youngest_daughter tochter ältere_tochter jüngere_tochter hija 女儿 闺女 女兒 大女儿 小女儿
kin son: son older_son younger_son elder_son eldest_son oldest_son youngest_son sohn älterer_sohn jüngerer_sohn hijo 儿子 兒子 大儿子 小儿子
kin child: 娃 老大 老二 俩娃 child kid kids children baby kind kinder hijos hijos_e_hijas bebé niños 孩子 小孩 宝宝
kin twins: twins zwillinge mellizos gemelos 双胞胎
kin sibling: sibling siblings geschwister hermanos 兄弟姐妹
kin aunt: aunt tante tía 阿姨 姑姑 姨妈 舅妈
kin uncle: uncle onkel tío 叔叔 舅舅 伯伯
kin cousin: cousin cousine cousins primo prima 表哥 表弟 表姐 表妹 堂哥 堂弟 堂姐 堂妹
kin nephew: nephew neffe sobrino 侄子 外甥
kin niece: niece nichte sobrina 侄女 外甥女
kin grandmother: grandmother grandma granny gran nan oma großmutter abuela 奶奶 外婆 姥姥
kin grandfather: grandfather grandpa granddad opa großvater abuelo 爷爷 外公 姥爷
kin grandson: grandson enkel nieto 孙子
kin granddaughter: granddaughter enkelin nieta 孙女
friend friend: friend mate freund freundin kumpel amigo amiga 朋友
friend colleague: colleague coworker co-worker kollege kollegin compañero compañera colega 同事
kin sister_in_law: sister-in-law schwägerin cuñada 嫂子
kin brother_in_law: brother-in-law schwager cuñado 姐夫 妹夫
kin godchild: godson goddaughter godchild patenkind ahijado ahijada 干女儿
kin parents: parents eltern padres 父母 爸妈
kin grandparents: grandparents großeltern abuelos
kin family: family familie familia 家人 家里人
pet dog: dog puppy hund hündin welpe perro perra perrito perrita cachorro 狗 小狗 狗狗
pet cat: cat kitten cats katze kater kätzchen gato gata gatito gatita 猫 小猫 猫咪 貓 橘猫 黑猫 白猫 花猫 三花 三花猫 狸花 狸花猫 奶牛猫 流浪猫 布偶猫 英短 美短 暹罗猫
pet dog: dogs hunde perros labrador golden_retriever retriever poodle terrier beagle collie spaniel dachshund corgi greyhound mutt dackel pudel schäferhund mops mischling caniche galgo mastín bodeguero 金毛 拉布拉多 柯基 泰迪 哈士奇 柴犬 边牧 土狗
pet cat: katzen gatos tomcat tabby kätzin gatito
pet rabbit: rabbit bunny kaninchen hase conejo 兔子
pet hamster: hamster hámster 仓鼠
pet horse: horse pony pferd caballo yegua 马 小马
pet parrot: parrot budgie papagei wellensittich loro periquito 鹦鹉
pet tortoise: tortoise turtle schildkröte tortuga 乌龟
pet fish: goldfish goldfisch pez 金鱼
pet guinea_pig: guinea_pig meerschweinchen cobaya
pet snake: snake schlange serpiente 蛇
pet lizard: lizard gecko bearded_dragon bartagame lagarto 蜥蜴
pet pet: pet haustier mascota 宠物
thing number_plate: number_plate license_plate licence_plate plate registration_plate kennzeichen nummernschild autokennzeichen matrícula patente placa 车牌 车牌号 車牌 车牌号码
thing phone_number: phone_number phone mobile_number mobile cell cell_number number telephone_number telefonnummer handynummer nummer mobilnummer número_de_teléfono teléfono número móvil celular número_de_móvil 电话 电话号码 手机号 手机号码 號碼 電話 手機號 号码
thing email: email e-mail email_address e-mail_address mail mailadresse e-mail-adresse emailadresse correo correo_electrónico 邮箱 邮件地址 电子邮箱 郵箱
thing address: address home_address postal_address adresse anschrift wohnadresse dirección domicilio 地址 住址 家庭住址 店址
thing postcode: postcode zip_code zip postleitzahl código_postal 邮编
thing name: name full_name first_name vorname name nombre 名字 姓名 全名
thing surname: last_name surname family_name maiden_name nachname familienname apellido 姓
thing nickname: nickname spitzname apodo mote 昵称 外号 小名
thing pronouns: pronouns pronomen pronombres
thing birthday: birthday date_of_birth birthdate geburtstag geburtsdatum cumpleaños fecha_de_nacimiento 生日 出生日期
thing age: age alter edad 年龄
thing height: height körpergröße größe altura estatura 身高
thing weight: weight gewicht peso 体重
thing blood_type: blood_type blood_group blutgruppe grupo_sanguíneo tipo_de_sangre 血型
thing shoe_size: shoe_size schuhgröße talla_de_zapatos número_de_pie talla_de_zapato 鞋码 鞋号
thing size: size clothing_size konfektionsgröße kleidergröße talla 尺码
thing car: car automobile auto wagen coche carro 车 汽车 车子 車 轿车 座驾
thing bike: bike bicycle rad fahrrad bici bicicleta 自行车 单车 腳踏車
thing e-bike: e-bike ebike electric_bike pedelec bicicleta_eléctrica 电动车 电瓶车
thing motorbike: motorbike motorcycle motorrad moto motocicleta 摩托车
thing van: van camper campervan wohnmobil furgoneta autocaravana 房车
thing boat: boat sailboat boot segelboot barco velero 船
thing laptop: laptop notebook computer pc rechner ordenador portátil computadora 电脑 笔记本 笔记本电脑 電腦
thing phone_model: smartphone handy 手机 手機
thing camera: camera kamera cámara 相机 主力机 主力相机 单反 微单
thing tablet: tablet ipad 平板
thing watch: watch uhr reloj 手表
thing house: house haus casa 房子
thing flat: flat apartment wohnung piso apartamento departamento 公寓
thing room: room zimmer habitación 房间
thing home: home new_home place new_place zuhause hogar 家 新家
thing job: job profession occupation beruf trabajo profesión oficio empleo 工作 职业 職業
thing employer: employer company arbeitgeber firma empresa empleador 公司 单位 雇主
thing position: position job_title role title stelle position puesto cargo 职位 岗位 职务
thing office: office büro oficina 办公室
thing salary: salary gehalt sueldo salario 工资 薪水
thing tuition: 学费
thing rent: rent miete alquiler renta 房租 租金 月租 店租
thing school: school schule escuela colegio instituto 学校 學校
thing university: university uni universität universidad 大学 大學
thing major: major degree studienfach hauptfach carrera 专业 專業
thing minor: minor nebenfach
thing bank: bank hausbank banco 银行
thing insurance: insurance health_insurance krankenkasse versicherung krankenversicherung seguro aseguradora 保险
thing insurance_number: insurance_number versichertennummer
thing energy_supplier: electricity_supplier energy_supplier stromanbieter compañía_eléctrica
thing internet_provider: internet_provider isp provider internetanbieter mobilfunkanbieter proveedor_de_internet operadora 运营商
thing passport_number: passport_number passnummer reisepassnummer número_de_pasaporte pasaporte 护照号 护照号码
thing account_number: account_number iban kontonummer número_de_cuenta 账号
thing customer_number: customer_number kundennummer número_de_cliente
thing username: username user_name handle benutzername nombre_de_usuario usuario 用户名
thing time_zone: time_zone timezone zeitzone zona_horaria huso_horario 时区 時區
thing native_language: native_language first_language mother_tongue muttersprache lengua_materna idioma_materno 母语 母語
thing nationality: nationality citizenship nationalität staatsangehörigkeit nacionalidad 国籍
thing religion: religion religión 宗教
thing star_sign: star_sign zodiac_sign sternzeichen signo signo_zodiacal 星座
thing home_town: home_town hometown heimatstadt heimatort ciudad_natal pueblo_natal 老家 家乡 故乡 家鄉
thing budget: budget presupuesto 预算
thing goal: goal aim ziel objetivo meta 目标 目標
thing dream: dream dream_job traumberuf sueño 梦想
thing hobby: main_hobby
thing editor: editor text_editor ide
thing operating_system: operating_system os betriebssystem sistema_operativo 操作系统
thing programming_language: programming_language programmiersprache lenguaje_de_programación 编程语言
thing diet: diet ernährung dieta 饮食
thing bus: bus bus_line
thing seat: seat sitzplatz asiento 座位
thing team: team equipo 球队 团队
thing instrument: instrument instrumento 乐器
thing deadline: deadline abgabetermin abgabe fecha_límite fecha_de_entrega 截止日期
thing favourite: favourite favorite favorit favorito favorita
thing commute: commute arbeitsweg
thing bedtime: bedtime schlafenszeit
thing working_hours: working_hours office_hours arbeitszeiten arbeitszeit horario horario_de_trabajo 工作时间 上班时间
thing wake_up_time: wake-up_time
thing wifi_name: wifi_name
thing wifi_password: wifi_password wi-fi_password wlan-passwort wlanpasswort wlan-code
thing door_code: door_code gate_code türcode haustürcode torcode código_de_la_puerta
thing wedding: wedding hochzeit trauung boda 婚礼
thing coffee: usual_coffee
thing passion: passion leidenschaft pasión 爱好
thing motto: motto lebensmotto lema 座右铭
thing meeting: standup stand-up daily
topic colour: colour color farbe 颜色 顏色
topic food: food essen gericht lieblingsessen comida plato 食物 菜 吃的
topic dish: dish meal speise
topic film: film movie películas película pelicula peli 电影 電影
topic book: book buch libro 书 書
topic band: band group banda grupo 乐队 樂隊
topic song: song lied canción 歌 歌曲
topic singer: singer sänger sängerin cantante 歌手
topic music: music musik música 音乐 音樂
topic drink: drink beverage getränk bebida 饮料 飲料
topic tea: tea tee té 茶
topic coffee: coffee kaffee café 咖啡
topic wine: wine wein vino 酒
topic beer: beer bier cerveza 啤酒
topic animal: animal tier 动物 動物
topic season: season jahreszeit estación estación_del_año época_del_año 季节 季節
topic city: city stadt ciudad 城市
topic country: country land país 国家 國家
topic sport: sport deporte 运动 運動
topic team: team mannschaft verein equipo 球队 球隊
topic player: player spieler spielerin jugador jugadora 球员
topic restaurant: restaurant lokal restaurante 餐厅 餐馆 餐廳
topic cafe: cafe café cafetería 咖啡馆 咖啡店
topic author: author writer autor autorin schriftsteller escritor escritora autora 作家 作者
topic game: game spiel juego videogame video_game videojuego 游戏 遊戲
topic series: series show tv_show tv_series serie 电视剧 剧
topic number: number zahl número 数字
topic flower: flower blume flor 花
topic fruit: fruit obst frucht fruta 水果
topic vegetable: vegetable gemüse verdura 蔬菜
topic dessert: dessert nachtisch nachspeise postre 甜点 甜品
topic snack: snack 零食
topic cheese: cheese käse queso 奶酪
topic pizza: pizza 披萨
topic ice_cream: ice_cream eis eissorte helado 冰淇淋
topic subject: subject fach schulfach asignatura materia 科目
topic place: place ort lugar sitio 地方
topic artist: artist künstler künstlerin artista 艺术家
topic painter: painter maler malerin pintor pintora 画家
topic composer: composer komponist compositor 作曲家
topic actor: actor actress schauspieler schauspielerin actriz 演员
topic director: director regisseur regisseurin directora 导演
topic holiday: holiday feiertag fiesta 节日
topic day: day_of_the_week wochentag día día_de_la_semana
topic podcast: podcast 播客
topic cuisine: cuisine küche cocina 菜系
topic activity: activity aktivität actividad 活动
topic hobby: hobby pastime pasatiempo afición 爱好
topic genre: genre género 类型
topic poet: poet dichter dichterin poeta 诗人
topic programming_language: programming_language language programmiersprache lenguaje_de_programación 编程语言
topic airline: airline fluggesellschaft aerolínea 航空公司
topic brand: brand marke marca 牌子 品牌
topic chocolate: chocolate schokolade chocolate 巧克力
topic bread: bread brot pan 面包
topic seat: seat sitzplatz asiento 座位
topic app: app
topic tree: tree baum árbol
condition diabetes: diabetes_typ_1 diabetes_typ_2 typ-1-diabetes typ-2-diabetes 一型糖尿病 二型糖尿病 1型糖尿病 2型糖尿病 diabetes diabetic type_1_diabetes type_2_diabetes zucker diabetiker diabetikerin diabético diabética diabetes_tipo_1 diabetes_tipo_2 糖尿病
condition asthma: asthma asthmatic asthma asma asmático asmática 哮喘
condition coeliac disease: coeliac celiac coeliac_disease celiac_disease zöliakie celiaquía celíaco celíaca 乳糜泻
condition lactose intolerance: lactose_intolerant lactose-intolerant lactose_intolerance laktoseintolerant laktoseintoleranz intolerante_a_la_lactosa 乳糖不耐 乳糖不耐受 乳糖不耐症
condition gluten intolerance: gluten_intolerant gluten-intolerant gluten_intolerance glutenintoleranz glutenintolerant intolerante_al_gluten 麸质不耐受
condition ADHD: adhd add adhs tdah 多动症
condition dyslexia: dyslexia dyslexic legasthenie legasthenikerin legastheniker dislexia disléxico disléxica 阅读障碍
condition migraine: migraines migraine migräne migrañas migraña 偏头痛
condition epilepsy: epilepsy epileptic epilepsie epilepsia epiléptico epiléptica 癫痫
condition high blood pressure: high_blood_pressure hypertension bluthochdruck hipertensión tensión_alta presión_alta hipertenso hipertensa 高血压
condition hay fever: hay_fever heuschnupfen rinitis_alérgica fiebre_del_heno 花粉症
condition autism: autistic autism autismus autistisch autista autismo 自闭症
condition colour blindness: colour-blind color-blind colourblind colorblind color_blind colour_blind farbenblind rot-grün-blind daltónico daltónica 色盲
condition anxiety: anxiety anxiety_disorder angststörung ansiedad 焦虑症
condition depression: depression depresión 抑郁症
condition arthritis: arthritis artritis artrose arthrose 关节炎
condition bad back: bad_back rückenprobleme
condition insomnia: insomnia schlafstörungen insomnio 失眠 失眠症
condition PCOS: pcos
condition nut allergy: nut_allergy peanut_allergy nussallergie erdnussallergie
condition hearing loss: hard_of_hearing deaf schwerhörig gehörlos sordo sorda
condition pregnant: pregnant schwanger embarazada 怀孕
condition left-handed: left-handed left_handed lefthanded linkshänder linkshänderin zurdo zurda 左撇子
condition short-sighted: short-sighted nearsighted kurzsichtig miope 近视
condition glasses: glaucoma
condition gout: gicht gota 痛风
condition rheumatism: rheuma reuma
condition tinnitus: tinnitus
condition scoliosis: scoliosis skoliose escoliosis
condition vertigo: vertigo
diet vegetarian: vegetarian veggie vegetarier vegetarierin vegetarisch vegetariano vegetariana 素食者 素食主义者 吃素的 吃素
diet vegan: vegan veganer veganerin vegano vegana 纯素食者 严格素食者 全素
diet pescatarian: pescatarian pescetarian pescetarier pescetarierin pescetariano pescetariana
diet gluten-free: gluten-free gluten_free glutenfrei sin_gluten
diet kosher: kosher koscher
diet halal: halal 清真
diet keto: keto
diet teetotal: teetotal teetotaller abstinent abstemio abstemia
diet sugar-free: sugar-free zuckerfrei
diet dairy-free: dairy-free
diet low-carb: low-carb low_carb
diet omnivore: omnivore
status married: married verheiratet casado casada 已婚 结婚了 結婚了
status single: single ledig soltero soltera 单身 單身 未婚
status divorced: divorced geschieden divorciado divorciada 离婚了 離婚了 离异
status widowed: widowed widow widower witwe witwer verwitwet viudo viuda
status engaged: engaged verlobt comprometido comprometida 订婚了
status separated: separated getrennt separado separada
occupation retired: retired rentner rentnerin pensioniert im_ruhestand in_rente in_pension jubilado jubilada pensionist pensionistin 退休 退休了
occupation unemployed: unemployed arbeitslos arbeitssuchend desempleado desempleada en_paro en_el_paro 失业 laid_off fired between_jobs out_of_work
occupation self-employed: self-employed selbstständig selbständig freiberuflich freelance autónomo autónoma freelancer 自由职业
activity yoga: yoga yoga_class yogakurs 瑜伽 瑜伽课
activity pilates: pilates 普拉提
activity choir: choir choir_practice choir_rehearsal chor chorprobe coro 合唱团
activity piano lesson: piano_lesson piano_lessons piano klavierunterricht klavierstunde clase_de_piano clases_de_piano 钢琴课
activity guitar lesson: guitar_lesson guitar_lessons guitar gitarrenunterricht clase_de_guitarra clases_de_guitarra 吉他课
activity swimming: swimming swim_class schwimmen schwimmkurs natación clases_de_natación 游泳 游泳课
activity football: football soccer football_practice soccer_practice fußball fußballtraining fútbol 足球
activity tennis: tennis tenis 网球
activity badminton: badminton bádminton 羽毛球
activity basketball: basketball baloncesto 篮球
activity volleyball: volleyball voleibol 排球
activity climbing: climbing bouldering klettern bouldern escalada 攀岩
activity training: training practice training entrenamiento entrenamientos 训练
activity band practice: band_practice rehearsal bandprobe probe ensayo ensayos 排练
activity book club: book_club buchclub lesekreis club_de_lectura 读书会
activity dance class: dance_class dance dancing_class tanzkurs tanzen clase_de_baile baile 舞蹈课
activity language class: spanish_class german_class french_class english_class chinese_class italian_class language_class spanischkurs englischkurs französischkurs deutschkurs clase_de_inglés clases_de_inglés clase_de_alemán clases_de_alemán clase_de_francés clases_de_francés 英语课
activity pottery: pottery pottery_class töpferkurs töpfern cerámica clase_de_cerámica 陶艺课
activity therapy: therapy therapie terapia
activity physiotherapy: physio physiotherapie krankengymnastik fisioterapia
activity team meeting: team_meeting standup stand-up weekly_meeting staff_meeting teammeeting teambesprechung jour_fixe reunión_de_equipo 周会 例会 组会
activity gym: gym gym_session krafttraining sport gimnasio 健身
activity running: running_group run_club lauftreff
activity judo: judo karate taekwondo 柔道 空手道 跆拳道
activity ballet: ballet ballett 芭蕾 芭蕾课
activity pub quiz: pub_quiz quiz_night
activity card game: skat skatrunde skatabend doppelkopf doppelkopfrunde kartenrunde kartenabend poker pokerrunde pokerabend
activity regulars' table: stammtisch
activity riding: riding_lesson reitstunde reitunterricht reiten
activity gymnastics: gymnastics turnen kinderturnen
activity chess: chess chess_club schach schachclub ajedrez 象棋
activity church: church gottesdienst misa 礼拜
activity night shift: night_shift nachtschicht frühschicht spätschicht turno_de_noche 夜班
activity home office: home_office homeoffice teletrabajo
activity bins: bin_day müllabfuhr
activity course: course class lesson kurs unterricht clase curso 课
activity orchestra: orchestra orchester orquesta
activity painting class: painting_class art_class malkurs clase_de_pintura 画画课
activity spinning: spinning zumba crossfit
activity hockey: hockey
activity handball: handball
activity rugby: rugby
activity golf: golf
activity bowls: bowls
activity darts: darts
activity bingo: bingo
activity snooker: snooker
activity fishing: fishing
place gym: gym fitness_studio fitnessstudio fitness-studio gimnasio gym 健身房
place club: club sports_club verein sportverein turnverein club_deportivo 俱乐部
place choir: choir chor coro 合唱团
place union: union trade_union gewerkschaft sindicato 工会
place party: party partei partido
place band: band banda 乐队
place church: church gemeinde kirchengemeinde iglesia parroquia 教会
place library: library bibliothek bücherei biblioteca 图书馆
place tennis_club: tennis_club tennisverein tennisclub club_de_tenis
place running_club: running_club laufgruppe club_de_running
place book_club: book_club buchclub lesekreis club_de_lectura 读书会
place orchestra: orchestra orchester orquesta
place alpine_club: alpine_club alpenverein
place hiking_club: hiking_club wanderverein
language English: english englisch inglés 英语 英文 英語
language German: german deutsch alemán 德语 德文 德語
language Spanish: spanish spanisch español castellano 西班牙语 西班牙文
language Chinese: chinese mandarin chinesisch chino mandarín 中文 汉语 普通话 漢語
language Cantonese: cantonese kantonesisch cantonés 粤语 广东话
language French: french französisch francés 法语 法文 法語
language Italian: italian italienisch italiano 意大利语
language Portuguese: portuguese portugiesisch portugués 葡萄牙语
language Dutch: dutch niederländisch holländisch neerlandés holandés 荷兰语
language Norwegian: norwegian norwegisch noruego 挪威语
language Swedish: swedish schwedisch sueco 瑞典语
language Danish: danish dänisch danés 丹麦语
language Polish: polish polnisch polaco 波兰语
language Russian: russian russisch ruso 俄语 俄文
language Japanese: japanese japanisch japonés 日语 日文 日語
language Korean: korean koreanisch coreano 韩语 韓語
language Arabic: arabic arabisch árabe 阿拉伯语
language Turkish: turkish türkisch turco 土耳其语
language Hindi: hindi
language Catalan: catalan katalanisch catalán
language Ukrainian: ukrainian ukrainisch ucraniano
language Greek: greek griechisch griego
language Finnish: finnish finnisch finés finlandés
language Hebrew: hebrew hebräisch hebreo
language Welsh: welsh
language Basque: basque baskisch euskera vasco
language Latin: latin latein latín
language Sign language: sign_language gebärdensprache lengua_de_signos 手语
language Icelandic: icelandic isländisch islandés
language Czech: czech tschechisch checo
language Hungarian: hungarian ungarisch húngaro
language Shanghainese: 上海话
language Hokkien: 闽南语 台语
language Punjabi: punjabi
language Swahili: swahili
day monday: monday mondays montag montags lunes 周一 星期一 礼拜一 週一
day tuesday: tuesday tuesdays dienstag dienstags martes 周二 星期二 礼拜二 週二
day wednesday: wednesday wednesdays mittwoch mittwochs miércoles 周三 星期三 礼拜三 週三
day thursday: thursday thursdays donnerstag donnerstags jueves 周四 星期四 礼拜四 週四
day friday: friday fridays freitag freitags viernes 周五 星期五 礼拜五 週五
day saturday: saturday saturdays samstag samstags sonnabend sábado sábados 周六 星期六 礼拜六 週六
day sunday: sunday sundays sonntag sonntags domingo domingos 周日 星期日 星期天 礼拜天 周天 週日
`

// nouns maps a folded noun phrase to its entries.
var nouns = func() map[string][]noun {
	table := make(map[string][]noun, 1600)
	for line := range strings.Lines(nounTable) {
		head, words, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			continue
		}
		kind, canon, _ := strings.Cut(head, " ")
		c := classNames[kind]
		if c == noClass {
			panic("said: unknown class " + kind)
		}
		for _, word := range strings.Fields(words) {
			key := foldPhrase(word)
			table[key] = append(table[key], noun{canon, c})
		}
	}
	return table
}()

// nounLengths maps a first word to the number of tokens of the longest noun
// phrase that begins with it.
var nounLengths = func() map[string]int {
	table := make(map[string]int, len(nouns))
	for phrase := range nouns {
		seq := sequence(strings.ReplaceAll(phrase, " ", "_"))
		table[seq[0]] = max(table[seq[0]], len(seq))
	}
	return table
}()

// foldPhrase folds the words of a table entry, which are joined by underscores.
func foldPhrase(s string) string {
	words := strings.Split(s, "_")
	for i, w := range words {
		words[i] = foldWord(w)
	}
	return strings.Join(words, " ")
}

// nounIn returns the canonical name of a phrase in a class.
func nounIn(phrase string, c class) (string, bool) {
	for _, n := range nouns[phrase] {
		if n.class == c {
			return n.canon, true
		}
	}
	return "", false
}

// isDrug reports whether a word is a medicine: its name ends as those of its kind do in
// every language ("ramipril", "Atorvastatina"), or it is a common one that does not.
func isDrug(word string) bool { return drugName.MatchString(word) }

var drugName = regexp.MustCompile(`^(?:\pL{3,}(?:pril|sartan|olol|statin|dipin|prazol|formin|gliptin|gliflozin|xaban|thyroxin|oxetin|traline|azepam|zolam|gabalin|gabapentin|triptan)[aeo]?|(?:warfarin|insulin|digoxin|furosemid|citalopram|sertralin|clopidogrel|prednisolon)[aeo]?)$`)

// months in the languages read, for dates.
var months = wordSet(`january february march april may june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec
januar jänner februar märz mai juni juli oktober dezember
enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre`)

// predicateOf returns the predicate of a noun phrase: the canonical name where the
// table has one, else the words in snake_case.
func predicateOf(phrase string) string {
	for _, c := range [...]class{thing, role, kin, friend, pet, topic, place} {
		if canon, ok := nounIn(phrase, c); ok {
			return canon
		}
	}
	return strings.ReplaceAll(phrase, " ", "_")
}

// verbs are the canonical names of verbs that are predicates themselves.
var verbs = func() map[string]string {
	table := make(map[string]string)
	for canon, words := range map[string]string{
		"play": "playing spiele toco juego", "collect": "collecting sammle colecciono", "teach": "teaching unterrichte enseño",
		"practise": "practicing practising practice practico", "sing": "singing singe singen canto", "coach": "coaching", "swim": "swimming schwimme schwimmen nado", "run": "running jogging laufe laufen jogge joggen corro",
		"cook": "cooking koche kochen cocino", "read": "reading lese lesen leo", "go": "gehe voy", "drink": "drinking drinks trinke trinken trinkt bebo bebe", "smoke": "smoking smokes rauche rauchen raucht fumo fumar fuma", "eat": "esse como", "write": "schreibe escribo",
		"dance": "dancing tanze tanzen bailo", "paint": "painting male malen pinto", "meet": "treffe quedo", "call": "telefoniere llamo", "walk": "hiking wandere wandern camino",
	} {
		table[canon] = canon
		for _, w := range strings.Fields(words) {
			table[foldWord(w)] = canon
		}
	}
	return table
}()
