package nodestate

import "strconv"

// mainTable is how a route's name begins that is in the main table; others
// begin with their number (rtnetlink(7): RT_TABLE_MAIN).
const mainTable = "main"

func tableName(table int) string {
	if table == 254 {
		return mainTable
	}
	return strconv.Itoa(table)
}
