// SPDX-License-Identifier: MPL-2.0

package policy

// Citation says where a fact is stated, and how it was read. Without a source, the
// other fields are empty, so that a citation is only inherited as a whole.
type Citation struct {
	Source string `json:"source,omitempty"` // URL
	// MovedFrom is the URL that the source had before it moved, or "".
	MovedFrom string `json:"moved_from,omitempty"`
	// ReadOn is the date on which it was read, YYYY-MM-DD.
	ReadOn string `json:"read_on,omitempty"`
	// ReadFrom names the third party that quotes the source, or "" if the source
	// itself was read.
	ReadFrom string `json:"read_from,omitempty"`
}
