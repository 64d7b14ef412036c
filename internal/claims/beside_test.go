package claims

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ebbmem/ebb/schema"
)

// Of a message stays what the request names to stay and what is of another subject, and nothing that
// tells of what is meant.
func TestBeside(t *testing.T) {
	for _, c := range []struct {
		message, request string
		stays, gone      string // "|" between the texts
	}{
		{"The wifi is called Otter. I failed the licence exam again.", "forget about the licence exam", "The wifi is called Otter", "exam|failed"},
		{"I failed the licence exam again, and besides, the plumber comes on Tuesday.", "forget about the licence exam, the rest can stay", "plumber comes on Tuesday", "exam"},
		{"I lost my job at the bakery. Because of that I drink. The cat is called Mo.", "forget that I lost my job at the bakery", "", "drink|job"},
		{"I had an abortion in May, at the Lund clinic, on a Friday.", "forget the abortion", "", "Lund|Friday|May"},
		{"Tom hit me last night. He was drunk again.", "forget what I said about Tom", "", "drunk|hit"},
		{"Juan Esteban se tiró química. A Wilmar le dijimos que había pasado.", "lo de la materia que perdió el niño y la mentira a Wilmar olvídelo, lo otro déjelo", "", "química|Wilmar"},
		{"Debo tres millones al prestamista. El plomero viene el martes a las nueve.", "olvida lo del prestamista", "", "millones"},
		{"El router está en el armario. Reprobé el examen de manejo.", "olvida lo del examen de manejo", "El router está en el armario", "examen"},
		{"Der Drucker steht im Flur. Ich bin durch die Führerscheinprüfung gefallen.", "vergiss die Führerscheinprüfung", "Der Drucker steht im Flur", "gefallen"},
		{"Ich hab den Schein verloren, wegen Alkohol am Steuer.", "vergiss das mit dem Schein", "", "Alkohol"},
		{"打印机在走廊里。我驾照考试没过。", "忘掉我驾照考试的事", "打印机在走廊里", "考试"},
		{"The surgery was on May 4. I had an abortion.", "forget that I had an abortion", "", "surgery|abortion"},
		{"Karl and I kissed at the party. I am cheating on Tom.", "forget that I am cheating on Tom", "", "kissed"},
		{"我驾照考试没过，因为喝酒了。", "忘掉我驾照考试的事", "", "喝酒"},
		{"Die Nachbarin hat schon wieder den Klempner gerufen, der kommt am Dienstag um neun.", "Lösch was ich über die Nachbarin gesagt habe, das mit dem Klempner kann bleiben",
			"den Klempner gerufen, der kommt am Dienstag um neun", "Nachbarin"},
		{"My neighbour told me she is pregnant while the plumber fixed the sink.", "forget what I said about the neighbour, the plumber can stay", "the plumber fixed the sink", "neighbour|pregnant|while"},
		{"El plomero arregló el baño mientras la vecina lloraba en la escalera.", "borra lo de la vecina, lo del plomero puede quedarse", "El plomero arregló el baño", "vecina|lloraba"},
		{"The plumber fixed the sink of the neighbour and the plumber's van was parked at the neighbour's.", "forget what I said about the neighbour, the plumber can stay", "", "neighbour's"},
	} {
		w := &reading{Message: &Message{Memory: &schema.Memory{ID: 2, Content: c.request}}}
		of := w.beside(&targets{request: c.request}, wishOf(c.request), &schema.Memory{ID: 1, Content: c.message}, nil)
		stays := strings.Join(of.stays, "\n")
		if c.stays != "" {
			assert.Contains(t, stays, c.stays, c.request)
		}
		for gone := range strings.SplitSeq(c.gone, "|") {
			assert.NotContains(t, stays, gone, c.message)
		}
	}
}

// What a request wants to stay is no part of what it wants forgotten.
func TestWishNamesWhatStays(t *testing.T) {
	for request, term := range map[string]string{
		"forget the exam, keep the plumber": "plumber", "forget the exam, but not the plumber": "plumber", "wipe the exam, the plumber can stay": "plumber",
		"vergiss die Prüfung, der Klempner darf bleiben": "klempn", "vergiss die Prüfung, aber nicht den Klempner": "klempn",
		"olvida el examen, lo del plomero sí": "plomer", "borre el examen, el plomero déjelo": "plomer",
		"把考试忘掉，水管工的事留着": "水管",
	} {
		q := wishOf(request)
		holds := func(terms []string) bool { return strings.Contains(strings.Join(terms, " "), term) }
		assert.True(t, holds(q.stay) && !holds(q.forget), "%s: %q, %q", request, q.forget, q.stay)
	}
	for _, request := range []string{"forget the exam, don't keep the letter", "vergiss die Prüfung, das bleibt unter uns", "olvida el examen, no lo deje por ahí", "忘掉考试的事，别留着", "keep that to yourself and forget the exam"} {
		assert.Empty(t, wishOf(request).stay, request)
	}
}
