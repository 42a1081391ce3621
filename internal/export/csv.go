package export

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// CSV writes the tidy table as RFC 4180 has it: a header, lines that end with
// CRLF, and quotes around fields that need them. Times are RFC 3339 in UTC.
// encoding/csv is not used because with CRLF it changes line breaks inside
// fields.
//
// A text that a spreadsheet could take for a formula gets an apostrophe in
// front, and so does one that begins with an apostrophe: to have the original,
// take one leading apostrophe away from text. Numbers are what they are.
func CSV(ctx context.Context, w io.Writer, s Source, o Options) (Outcome, error) {
	out := bufio.NewWriter(w)
	var outcome Outcome
	// A bufio.Writer keeps its first error, which Flush returns.
	_, _ = out.WriteString(strings.Join(columnNames(), ",") + "\r\n")
	for row := range s.rows(o.Only) {
		if err := ctx.Err(); err != nil {
			return outcome, err
		}
		outcome.count(row)
		_, _ = out.WriteString(csvLine(row))
	}
	if err := out.Flush(); err != nil {
		return outcome, fmt.Errorf("writing CSV: %w", err)
	}
	return outcome, nil
}

// columnNames lists the columns of a Row.
func columnNames() []string {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Row]()) {
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		names = append(names, name)
	}
	return names
}

func csvLine(row Row) string {
	v := reflect.ValueOf(row)
	fields := make([]string, v.NumField())
	for i := range fields {
		fields[i] = csvField(v.Field(i).Interface())
	}
	return strings.Join(fields, ",") + "\r\n"
}

// csvField writes one of the types that a Row has.
func csvField(value any) string {
	switch x := value.(type) {
	case string:
		return quoted(harmless(x))
	case int32:
		return strconv.Itoa(int(x))
	case *int32:
		if x != nil {
			return strconv.Itoa(int(*x))
		}
	case *float64:
		if x != nil {
			return strconv.FormatFloat(*x, 'g', -1, 64)
		}
	case *bool:
		if x != nil {
			return strconv.FormatBool(*x)
		}
	case *time.Time:
		if x != nil {
			return x.Format("2006-01-02T15:04:05.000000Z")
		}
	default:
		panic(fmt.Sprintf("a row has a %T", value))
	}
	return ""
}

// formulaStarts are what makes a spreadsheet compute, after OWASP's page on
// CSV injection: the signs, also as East Asian keyboards have them, and the
// blanks that some programs skip.
const formulaStarts = "=+-@\t\r\n＝＋－＠"

func harmless(text string) string {
	if text != "" && strings.ContainsRune(formulaStarts+"'", []rune(text)[0]) {
		return "'" + text
	}
	return text
}

// quoted puts quotes around a text that has a separator, a quote, a line break
// or a blank at an end.
func quoted(text string) string {
	text = valid(text)
	if strings.ContainsAny(text, ",;\t\"\r\n") || strings.TrimSpace(text) != text {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}
