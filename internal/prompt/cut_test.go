package prompt

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// dictated are messages as people dictate them. at is the sentence of the claim, and says what a model
// made of it, "" for the sentence itself. want must be in the line.
var dictated = []struct {
	message string
	at      int
	says    string
	want    []string
}{
	{"Rory is gone since this morning. I was saying to Breda only last week that the hands were at me every night and that I could not hold a cup, and she rang the surgery herself, and the long and short of it is I've come off the amlodipine, a little at a time, and it's lercanidipine beside the kettle from today. She was right.", 1, "", []string{"come off the amlodipine", "lercanidipine"}},
	{"What a morning. The nurse from the heart place was on about the strap they put around my chest, and while she had me she read me the whole list, and I'm not to lift anything heavier than a kettle until they know more, there are skips in it apparently, two seconds at a time. It was only a bag of coal.", 1, "", []string{"heavier than a kettle", "skips"}},
	{"Brendan's dead. Oonagh rang at two, it was in his sleep and nobody heard a thing until the milk came. I was to bring him the paper today, it was my turn, and the road was flooded and I said I'd go on Sunday. Forty years. I can't say more.", 1, "", []string{"Brendan's dead", "Oonagh"}},
	{"Brendan's dead. Oonagh rang at two, it was in his sleep. I was to bring him the paper today, it was my turn, and the road was flooded and I said I'd go on Sunday. Forty years.", 2, "", []string{"Brendan's dead", "bring him the paper"}},
	{"You know how it is at the clinic with the plastic chairs and the one magazine about boats that everybody has read twice, so I sat there for an hour and a half watching the door and wondering about the bus, and then she calls me in and looks at the screen for a while and says nothing, and then it turns out I'm to take the eight milligrams from tomorrow instead of the four. I took the bus home.", 0, "", []string{"eight milligrams", "tomorrow"}},
	{"Well I walked the whole length of the pier with Ina and her dog and we talked about the old cinema and who had kissed whom in which row, and she told me the story of the ice cream van once more, and before we parted she mentioned that the choir is moved to Thursday at seven now, in the parish hall. The dog was wet.", 0, "", []string{"Thursday", "parish hall"}},
	{"We had the whole family round the table and the little ones made a tent from the good cloth and there was gravy on the ceiling, I mean it, and when it got quiet for a moment my brother said, like it was nothing, that Saoirse is allergic to sesame and carries an EpiPen. We looked at the cake.", 0, "", []string{"allergic to sesame"}},
	{"I was telling the man at the garage about the noise it makes on hills and he told me about his boat and the engine in it and how his father had built it by hand in a shed behind the church, and in the end he said the car needs a new clutch and that will be 870 before the end of the month. I nearly fell over.", 0, "", []string{"clutch", "870"}},
	{"Right so I was queueing for the bread and the woman behind me had opinions about the trams and about the mayor and about bread as such, and then my phone goes and it's the letting agent, who said that the rent is 1,140 from the first of June and that he's sorry but that's the market. I bought two loaves.", 0, "", []string{"1,140"}},
	{"the bus was late again n this kid was playing his music out loud n everyone just looking at the floor like we always do and then an old man starts dancing no word of a lie in the aisle with his shopping and the whole bus starts clapping and anyway i got the job at the nursery they want me from monday", 0, "", []string{"nursery", "monday"}},
	{"so my cousin comes in with the shoes on which you dont do in my mums house and she starts about the wedding again and whos sitting where and who isnt speaking to who since the christening and then she goes quiet and says its cancelled he has moved out and shes keeping the flat", 0, "", []string{"cancelled", "moved out"}},
	{"There was a great fuss about the parcel because it had gone to number 12 and number 12 are in Tenerife until the end of the week and their son, who should be minding the house, is minding somebody else, and anyway the pills in it are the new ones, 20 mg, to be taken at night with food, not before. I got it in the end.", 0, "Takes the new pills, 20 mg, at night with food", []string{"20 mg", "at night"}},
	{"I had the loveliest afternoon in the garden with the radio on low and the cat pretending to hunt, and I thought about the summer we drove to the lake with no map and ended up at a funeral and were given soup, and I thought I should ring Margit, whose number is 0431 55 21 since she moved to Kiel. It rained at six.", 0, "Margit's number is 0431 55 21", []string{"0431 55 21"}},
	{"Also ich stand da beim Bäcker und vor mir war die Frau Sieber mit ihrem Hund, der ja nicht rein darf, aber trotzdem immer drin ist, und die hat mir die ganze Geschichte mit dem Dach noch mal erzählt, und dann ruft die Praxis an und sagt, ab morgen nehm ich das Candesartan nur noch halb, also 8 mg statt 16. Brot gab es keins mehr.", 0, "", []string{"Candesartan", "8 mg"}},
	{"Ich hab ihr noch gesagt, sie soll nicht so schnell fahren auf dem nassen Laub, und da lacht sie nur und dreht das Radio lauter, so wie sie es immer macht, seit sie den Führerschein hat, und an der Ampel sagt sie dann ganz nebenbei, dass sie ab September in Leipzig studiert, Tiermedizin, und das Zimmer schon hat. Ich war sprachlos.", 0, "", []string{"Leipzig", "September"}},
	{"Wie gesagt, das war ein Tag, erst der Stau und dann die Baustelle und dann stand ich im Amt und hatte die falsche Mappe dabei, in der nur die Fotos vom Urlaub waren, und die Dame hat sich die alle angesehen, und der neue Termin ist jetzt am 14. Mai um halb neun in Zimmer 212. Nette Dame.", 0, "", []string{"14. Mai", "212"}},
	{"Opa ist gestorben. Die Schwester hat um fünf angerufen, und ich bin gleich rübergefahren und hab da noch eine Stunde bei ihm gesessen und das Fenster aufgemacht. Morgen kommt Jutta.", 1, "", []string{"Opa ist gestorben", "Schwester"}},
	{"Wir saßen im Verein noch lange und haben über die alten Zeiten geredet und über den Platz, der jedes Jahr schlechter wird, und über den Wirt, der das Bier teurer gemacht hat, na ja, und am Ende wurde dann beschlossen, dass das Training nicht mehr dienstags ist, sondern mittwochs um acht in der Halle. Spät geworden.", 0, "", []string{"mittwochs", "Halle"}},
	{"Heute früh war der Nachbar da mit einem Korb Äpfel und hat eine halbe Stunde von seinem Knie erzählt und von der Kur und von dem Koch in der Kur, der früher Seemann war, und dabei hat er erwähnt, dass die kleine Emmi keine Haselnüsse essen darf, sie ist allergisch, und zwar richtig. Apfelkuchen geht.", 0, "", []string{"Haselnüsse", "allergisch"}},
	{"Die Hausverwaltung hat einen Brief geschrieben, drei Seiten, und auf den ersten zwei steht, wie sehr sie sich über die gute Nachbarschaft freuen und wie schön der Hof geworden ist mit den neuen Kübeln, und auf der dritten Seite steht, dass die Miete ab 1. August 910 Euro beträgt, warm. Die Kübel sind hässlich.", 0, "", []string{"910 Euro"}},
	{"Pues nada, fui al mercado con mi comadre y nos encontramos a medio pueblo, que si la boda, que si el pleito del terreno, que si el padre nuevo canta muy feo, y ya cuando íbamos de salida me llama el doctor y me dice que desde mañana ya no tomo la losartana, que ahora es telmisartán de 40 mg en la noche. Se me olvidó el cilantro.", 0, "", []string{"telmisartán", "40 mg"}},
	{"Le estaba diciendo a mi vecina que el techo gotea otra vez y que el albañil no contesta, y ella me contó lo de su yerno y la camioneta y el seguro que no paga, y en eso llega mi hijo y me dice, así nomás, que se va a Monterrey desde el lunes porque cambió de trabajo. Me quedé fría.", 0, "", []string{"Monterrey", "lunes"}},
	{"Murió mi tío. Llamaron del hospital a las cuatro y fuimos todos, hasta los que no se hablan, y estuvimos ahí sentados sin decir nada hasta que amaneció. El entierro es el jueves.", 1, "", []string{"Murió mi tío", "hospital"}},
	{"Ay, qué día, primero se fue la luz y luego el agua y luego el gato se metió al ropero y no quería salir, y mi hermana se reía y yo con la sopa a medias en la estufa, y en medio de todo eso me avisan que la cita con el cardiólogo es el 3 de julio a las nueve y media. Comimos pan.", 0, "", []string{"cardiólogo", "3 de julio"}},
	{"Estuvimos en la plaza con los niños y había globos y una banda que tocaba lo de siempre, y mi suegra se puso a bailar con el señor de los elotes, te lo juro, y ya en el carro mi nuera me dijo bajito que Mateo es alérgico a los cacahuates y que hay que traer la pluma siempre. Bailó bonito.", 0, "", []string{"alérgico a los cacahuates"}},
	{"Total que llegamos tarde a la junta y el director ya estaba hablando de los uniformes y de la cooperativa y de que los papás no leemos los avisos, y una señora se enojó y se salió, y al final lo único importante, que la escuela ahora sale a las 12:40 y no a la una y media. Me dolía la cabeza.", 0, "", []string{"12:40"}},
	{"今天早上去菜市场，碰到了以前的同事，她拉着我说了半天她儿子买房子的事，又说她婆婆怎么样怎么样，我站得腿都酸了，后来医院打电话来，说我的降压药从明天改成氨氯地平，一天一片，早饭以后吃。菜都没买成。", 0, "", []string{"氨氯地平", "一天一片"}},
	{"我跟他说了多少次不要在阳台上抽烟，他就是不听，还笑，楼下的阿姨也来说过两次了，我都不好意思见人，昨天吃饭的时候他突然放下筷子，跟我说他下个月去深圳上班，工作已经换了，房子也找好了。我一晚上没睡。", 0, "", []string{"深圳", "换了"}},
	{"下午带孩子去公园，风筝挂在树上了，保安叔叔拿竹竿弄了好久才弄下来，大家都在旁边看，还有人拍视频，回来的路上老师发消息，说钢琴课以后改到周四下午五点，不在原来的教室，在二楼。累死了。", 0, "", []string{"周四", "二楼"}},
	{"爷爷去世了。早上六点医院打来电话，我们都赶过去了，妈妈一句话也没说，就坐在走廊里看着窗户。下周三送他。", 1, "", []string{"爷爷去世了", "医院"}},
	{"聚餐的时候大家聊了很多以前的事，谁追过谁，谁考试作弊被抓，老班长喝多了还唱了一首歌，唱得可难听了，散的时候小敏悄悄告诉我，她对青霉素过敏，上次差点出大事，让我以后记着。到家都十一点了。", 0, "", []string{"青霉素过敏"}},
	{"房东太太人是很好的，每次来都带点水果，今天又带了一袋橘子，坐下来讲她年轻时候在纺织厂的故事，讲了快一个小时，我也不好打断，临走的时候才说，从三月开始房租涨到四千二，押金不变。橘子挺甜。", 0, "", []string{"四千二"}},
}

// A cut keeps the news of a long sentence, and words that change a life stay beside what tells of them.
func TestCutKeepsTheNews(t *testing.T) {
	held := 0
	for _, c := range dictated {
		sentences := text.Sentences(c.message)
		claim := schema.Memory{ID: 1, Content: c.says, Kind: schema.KindFact, State: schema.StateActive, Attributes: lasting}
		if c.says == "" {
			claim.Content = sentences[c.at]
		}
		m := schema.Memory{ID: 9, UID: "m", Content: c.message, Kind: schema.KindEpisode, Role: "user", Origin: schema.OriginUser, Trust: schema.MaxTrust, State: schema.StateActive, EventTime: schema.At(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))}
		own := &ownClaim{claim: claim, covered: true}
		own.text, _, own.source = (&claimReader{}).sentence(&claim, []schema.Source{{SourceID: 9, Quote: claim.Content}}, map[int64]schema.Memory{9: m})
		lines, _ := linesOf(map[int64]*ownClaim{1: own}, time.UTC, time.Time{}).All()
		require.Len(t, lines, 1, c.message)
		shown := lines[0].Text
		require.LessOrEqual(t, text.Tokens(shown), 92)
		missing := false
		for _, w := range c.want {
			missing = missing || !strings.Contains(shown, w)
		}
		if !missing {
			held++
		} else {
			t.Errorf("%q\nnot in %q", c.want, shown)
		}
	}
	t.Logf("%d of %d", held, len(dictated))
}

// Of two parts that hold as much, the beginning is shown, and what is short enough is not cut.
func TestCutBeginsAtTheBeginning(t *testing.T) {
	plain := strings.Repeat("the hall was full of people, ", 14)
	require.True(t, strings.HasPrefix(Shown(plain), "the hall") && strings.HasSuffix(Shown(plain), "…"))
	news := strings.Repeat("the hall was full of people, ", 9) + "and I take 5 mg now"
	require.Equal(t, news, Shown(news))
	require.LessOrEqual(t, text.Tokens(Shown(strings.Repeat("I take 5 mg now, ", 40))), maxSentence+clauseRest)
	require.Equal(t, 1, strings.Count(Shown("take it, "+strings.Repeat("the hall was full of people, ", 14)+"I take 5 mg now instead."), "…"))
}

func TestIsCutFrom(t *testing.T) {
	for _, c := range []struct {
		shown string
		want  bool
	}{
		{"…and i take 5 mg…", true},
		{"we sat and…", true},
		{"and i take 5 mg", false},
		{"…and i take 6 mg", false},
	} {
		require.Equal(t, c.want, isCutFrom(c.shown, text.Fold("We sat and I take 5 mg now")), c.shown)
	}
}
