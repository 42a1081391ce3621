package result

// Groups whose metrics are parts of the busy CPU: reports draw them as parts
// of a whole.
const (
	CPUByMode  = "CPU by mode"
	CPUByOwner = "CPU by owner"
)
