package said

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// moments are sentences of where somebody is or goes at the moment. None may replace another.
const moments = `
I'm in Leeds.
I'm in Leeds with the kids.
I'm in Leeds till Friday.
We're in Leeds for the match.
I'm at Leeds station.
I'm near Ripon, stuck behind a tractor.
I'm on Castle Street.
I'm outside Tesco.
I'm right outside Lidl.
I've been in Leeds all day.
I've been at Jo's since nine.
We've been in Bath for the weekend.
Just got back from Cork.
I'm just back from Cork.
I've just come from Derry.
I come from Derry, just off the bus.
I'm from the dentist.
I've come from Cork this evening.
I'm at the dentist.
I'm at the Royal Infirmary with Dad.
I'm with Ann.
I'm with Ann at the bingo.
We're at mum's.
We're living it up in Skegness.
I'm working in Hull today.
I'm working at Greta's place till six.
I'm working from Ann's kitchen.
I'm on my way to Whitby.
I'm going to Whitby.
I'm off to Whitby.
I'm heading to Glasgow.
I'm staying at the Premier Inn.
I'm staying with Ann.
We moved to the back garden.
I've moved to the sofa.
I moved to table 4.
I'm driving a van to Selby.
I am from Cork on the 7:40 train.
I'm wearing a size 9.
I'm on the bus to York.
komme gerade aus Köln
Ich komme gerade aus Köln.
Ich komme grad aus Köln, war bei Petra.
Komme eben aus Bonn zurück.
Ich komme aus Köln zurück.
Ich komme gleich aus Bonn rüber.
Ich komme aus der Stadt.
Ich komme aus Bonn, die Bahn war voll.
Ich komme vom Zahnarzt.
bin in Hamburg
Ich bin in Hamburg.
Wir sind in Husum bei Tante Inge.
Ich bin bei Ann.
Ich bin beim Zahnarzt.
Ich bin nach Bremen gefahren.
Ich bin in Bremen eingezogen worden.
Ich arbeite heute in Kiel.
Ich arbeite gerade bei Petra im Garten.
Ich wohne gerade bei Petra.
Ich wohne diese Woche in Kiel.
Ich lebe gerade aus dem Koffer.
Ich fahre nach Erfurt.
Bin auf dem Weg nach Kassel.
Wir sind umgezogen in den Garten.
vengo de Puebla, dimos el curso
vengo de Guzmán, fui por mi mamá al internista
Vengo de Puebla.
Vengo de Toluca cansadísima.
Vengo del centro.
Venimos de Morelia.
venimos de León, hubo tráfico
Vengo de Sayula con mi hermana.
Apenas vengo de Colima.
Ya vengo de Tepic.
vengo de Oaxaca en el camión
Vengo de Zapopan de ver a mi tía.
estoy en Puebla
Estoy en Puebla con mi hermana.
Estamos en Morelia.
Estamos en casa de Lupe.
voy para el centro
Voy para Colima.
Voy a Colima con Lupe.
Voy al gimnasio con Lupe.
Estoy en el dentista.
Estoy con Ana.
Acabo de llegar de Tepic.
Vivo en Puebla esta semana.
Trabajo en Tepic hoy.
Me paso a Colima.
Salgo con Ana al cine.
Me mudo a la sala.
我在北京出差
我在北京出差，下周回
我在上海开会
刚从上海回来
我刚从上海回来
我从上海过来
我来自上海的飞机晚点了
我在苏州
我在医院
我在我妈家
我和小安在一起
我在去杭州的路上
我到南京了
我住在酒店
我这几天住在杭州
我这周住在酒店
我出差住在苏州
我在杭州住两天
我今天在南京上班
我在南京上班三天
我去深圳
我搬到沙发上了
`

// homes are sentences of where somebody comes from, lives or works.
const homes = `
I come from Cork.
I'm from Cork.
I'm originally from Cork.
I come from Cork, my wife from Sligo.
I'm based in Leeds.
I live in Leeds.
I've been living in Leeds for years.
We moved to Ghent.
I'm working at Fjordbank.
Ich komme aus Köln.
Ich komme ursprünglich aus Köln.
Ich stamme aus Husum.
Ich komme aus Köln, meine Frau aus Bonn.
Ich wohne in Kiel.
Ich arbeite bei Miele.
Soy de Puebla.
Vengo originalmente de Puebla.
Soy de Puebla, pero vivo en Toluca.
Vivo en Toluca.
Trabajo en Bimbo.
Salgo con Ana desde marzo.
我来自苏州
我老家是苏州
我住在杭州
我在南京上班
我搬到深圳了
`

// What is so at the moment replaces nothing.
func TestMomentReplacesNothing(t *testing.T) {
	replaces := func(s string) bool {
		return slices.ContainsFunc(Claims(s, 0), func(c Claim) bool { return c.Functional || c.Change })
	}
	for s := range strings.Lines(strings.TrimSpace(moments)) {
		assert.False(t, replaces(strings.TrimSpace(s)), s)
	}
	for s := range strings.Lines(strings.TrimSpace(homes)) {
		assert.True(t, replaces(strings.TrimSpace(s)), s)
	}
}
