// Package series finds numbers that a person reports again and again, such as a blood pressure, a
// weight or the length of a run, and joins those of one quantity. It judges by the form of a
// statement, not by a list of quantities, in English, German, Spanish and Chinese, and rather
// leaves a number out than joins it to a foreign series.
package series
