package cost

import "strings"

// CommonlyLacking are the terms that most sums lack, in the order of
// [Variant.Without]: only sums that lack the same can be compared. Of as many,
// those of the variant that comes first count.
func (c Costs) CommonlyLacking() []string {
	var most []string
	count := map[string]int{}
	for _, v := range c.Variants {
		if v.Total == nil {
			continue
		}
		key := strings.Join(v.Without, "\x00")
		count[key]++
		if count[key] > count[strings.Join(most, "\x00")] || len(count) == 1 {
			most = v.Without
		}
	}
	return most
}
