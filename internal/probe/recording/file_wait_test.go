package recording

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

// What was recorded waits in memory for a while only: a recorder that is killed
// loses no more than that.
func TestEntriesWaitForAWhileOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var file bytes.Buffer
		w := newWriter(&file)
		w.write(Entry{Event: &Event{}})
		if file.Len() > 0 {
			t.Error("the first entry was written at once")
		}
		time.Sleep(heldBack)
		w.write(Entry{Event: &Event{}})
		if got := bytes.Count(file.Bytes(), []byte("\n")); got != 2 {
			t.Errorf("%d entries are in the file, want 2", got)
		}
	})
}
