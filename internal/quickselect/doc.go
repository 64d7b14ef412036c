// Package quickselect finds the n-th largest of many values without sorting
// them (Hoare 1961, FIND).
package quickselect
