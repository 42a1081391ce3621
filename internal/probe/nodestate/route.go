package nodestate

import "strconv"

// mainTable is how a route's name begins that is in the main table; others
// begin with their number (rtnetlink(7): RT_TABLE_MAIN).
const mainTable = "main"

func tableName(table int) string {
	switch table {
	case 254:
		return mainTable
	case 255:
		return "local"
	}
	return strconv.Itoa(table)
}
