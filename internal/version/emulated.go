// SPDX-License-Identifier: MPL-2.0

package version

import "fmt"

// The limits of emulated versions. See
// https://github.com/kubernetes/enhancements/tree/master/keps/sig-architecture/4330-compatibility-versions
const (
	// maxEmulation is the maximum number of minors by which an emulated version can
	// be older than the binary.
	maxEmulation = 3
	// firstEmulated is the oldest minor of major 1 that any binary can emulate.
	firstEmulated = 31
	emulationURL  = "https://github.com/kubernetes/enhancements/tree/master/keps/sig-architecture/4330-compatibility-versions"
)

// Emulating returns v as a version that is compared by the emulated minor. If v has
// that minor itself, it returns v unchanged. The error says why v cannot emulate the
// minor.
func (v Version) Emulating(emulated Version) (Version, error) {
	own, m := v.Minor(), emulated.Minor()
	behind, sameMajor := own.Skew(m)
	switch {
	case v.IsZero() || emulated.IsZero():
		return v, nil
	case sameMajor && behind == 0:
		return v, nil
	case !sameMajor || behind < 0:
		return Version{}, fmt.Errorf("%s cannot emulate %s, which is newer. An API server emulates its own minor or an older one (%s)", v, emulated, emulationURL)
	case behind > maxEmulation:
		return Version{}, fmt.Errorf("%s cannot emulate %s, which is %d minor versions older. An API server emulates at most %d minor versions back (%s)", v, emulated, behind, maxEmulation, emulationURL)
	case m.Major == 1 && m.Minor < firstEmulated:
		return Version{}, fmt.Errorf("%s cannot emulate %s. The oldest version that can be emulated is 1.%d (%s)", v, emulated, firstEmulated, emulationURL)
	}
	p := *v.read
	p.binary = v.read
	p.minor = m
	p.declared = fmt.Sprintf("%s (emulating %s)", v, v.Numbering().Number(m))
	return Version{&p}, nil
}

// Binary returns the version of the binary: v itself, unless it emulates an older
// minor.
func (v Version) Binary() Version {
	if p := v.parts(); p.binary != nil {
		return Version{p.binary}
	}
	return v
}

// Emulated returns the minor that v emulates, in the numbering of v. ok is false if
// it emulates none.
func (v Version) Emulated() (emulated Version, ok bool) {
	if v.parts().binary == nil {
		return Version{}, false
	}
	return v.Numbering().Version(v.Minor()), true
}
