package kernel

import "testing"

func TestParseRelease(t *testing.T) {
	for release, want := range map[string]Version{
		"6.1.0-13-amd64":           {6, 1, 0},
		"5.15.0-1057-aws":          {5, 15, 0},
		"4.18.0-305.el8.x86_64":    {4, 18, 0},
		"6.12.8+":                  {6, 12, 8},
		"6.9-rc3":                  {6, 9, 0},
		"5.10":                     {5, 10, 0},
		"4.19.57":                  {4, 19, 57},
		"6.1.119-129.201.amzn2023": {6, 1, 119},
	} {
		if got, err := ParseRelease(release); err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", release, got, err, want)
		}
	}
	for _, release := range []string{"", "6", "v6.1", "six.one", "6.", ".6", "99999999999999999999.1"} {
		if got, err := ParseRelease(release); err == nil {
			t.Errorf("%q is read as %v", release, got)
		}
	}
}

func TestCompareVersions(t *testing.T) {
	order := []Version{{4, 19, 57}, {5, 9, 0}, {5, 10, 0}, {5, 10, 1}, {6, 1, 0}}
	for i, a := range order {
		for j, b := range order {
			if got := a.Compare(b); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%v compared with %v: %d", a, b, got)
			}
		}
	}
}

func FuzzParseRelease(f *testing.F) {
	for _, seed := range []string{"6.1.0-13-amd64", "5", "1.2.3.4", "1.-2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, release string) {
		v, err := ParseRelease(release)
		if err == nil && (v[0] < 0 || v[1] < 0 || v[2] < 0) {
			t.Errorf("%q is read as %v", release, v)
		}
	})
}
