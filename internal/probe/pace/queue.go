package pace

// queue is a first-in-first-out queue that keeps its memory.
type queue[T any] struct {
	ring []T // its length is a power of two, or 0
	head uint64
	tail uint64 // where the next goes; head == tail is empty
}

func (q *queue[T]) len() int { return int(q.tail - q.head) }

func (q *queue[T]) push(v T) {
	if q.len() == len(q.ring) {
		q.grow()
	}
	q.ring[q.tail&uint64(len(q.ring)-1)] = v
	q.tail++
}

// at returns the element that is i behind the first, to read or to change. It
// is valid until the next push.
func (q *queue[T]) at(i int) *T { return &q.ring[(q.head+uint64(i))&uint64(len(q.ring)-1)] }

// pop removes the first element.
func (q *queue[T]) pop() T {
	v := *q.at(0)
	q.head++
	return v
}

func (q *queue[T]) grow() {
	larger := make([]T, max(64, 2*len(q.ring)))
	n := q.len()
	for i := range n {
		larger[i] = *q.at(i)
	}
	q.ring, q.head, q.tail = larger, 0, uint64(n)
}
