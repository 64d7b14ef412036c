package evalset

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Estimate is a mean over questions with its 95 % interval.
type Estimate struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// resamples is the number of draws for an interval.
const resamples = 2000

// Estimated returns the means of R@k over the questions, by cutoff, with percentile
// bootstrap intervals (Efron 1979): the questions are drawn with replacement. With the
// rankings of another run, by question, it estimates the differences from that run
// instead, question by question (a paired bootstrap). Equal runs give equal intervals.
func Estimated(answers []Answered, other map[string][]Ranked) []Estimate {
	all := make([]Estimate, len(Cutoffs))
	if len(answers) == 0 {
		return all
	}
	values := make([][len(Cutoffs)]float64, len(answers))
	for i, a := range answers {
		values[i] = Score(a.Ranking, a.Query.Evidence).Recall
		if other != nil {
			for k, r := range Score(other[a.Query.ID], a.Query.Evidence).Recall {
				values[i][k] -= r
			}
		}
	}
	n := float64(len(values))
	var means [len(Cutoffs)][]float64
	draw := rand.New(rand.NewPCG(1, 2))
	for range resamples {
		var sum [len(Cutoffs)]float64
		for range values {
			for k, v := range values[draw.IntN(len(values))] {
				sum[k] += v
			}
		}
		for k := range sum {
			means[k] = append(means[k], sum[k]/n)
		}
	}
	for k := range all {
		slices.Sort(means[k])
		all[k].Low, all[k].High = means[k][resamples*25/1000], means[k][resamples*975/1000]
		for _, v := range values {
			all[k].Mean += v[k] / n
		}
	}
	return all
}

// ReadRun reads rankings in the format of [WriteRun], by question. A rank that is missing
// becomes a [Ranked] without a turn.
//
// Errors: [*Error], or that of the file system.
func ReadRun(path string) (map[string][]Ranked, error) {
	const most = 1000 // turns of a question
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	run := make(map[string][]Ranked)
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 6 {
			return nil, &Error{Path: path, Line: n, Reason: "is not of the form question-id Q0 turn-id rank score tag"}
		}
		rank, err := strconv.Atoi(fields[3])
		if err != nil || rank < 1 || rank > most {
			return nil, &Error{Path: path, Line: n, Field: "rank", Reason: fmt.Sprintf("must be a number from 1 to %d", most)}
		}
		of := run[fields[0]]
		for len(of) < rank {
			of = append(of, Ranked{})
		}
		of[rank-1].Turn = fields[2]
		run[fields[0]] = of
	}
	return run, lines.Err()
}
