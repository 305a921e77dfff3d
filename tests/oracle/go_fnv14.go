// go_fnv14 SEED FACTS: the oracle of strategy go-fnv14: a Bloom filter with 14 fixed seeds over
// FNV-1a 32, as one writes it in Go. go_fnv14_ours.cc makes the same draws and writes the same
// facts.
package main

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"log"
	"os"
	"strconv"
	"strings"
)

// ---- the filter ----

const capacity = 1 << 25

var seeds = []int{3, 13, 47, 67, 89, 137, 193, 257, 331, 421, 521, 631, 761, 907}

type filter struct {
	bits []bool
}

func index(seed int, value string) int {
	hash := fnv.New32a()
	hash.Write([]byte(value))
	h := hash.Sum32()
	return ((((capacity - 1) & seed) * int(h^(h>>16))) + capacity) % capacity
}

func (f *filter) put(value string) bool {
	changed := false
	for _, seed := range seeds {
		i := index(seed, value)
		if !f.bits[i] {
			f.bits[i] = true
			changed = true
		}
	}
	return changed
}

func (f *filter) mightContain(value string) bool {
	for _, seed := range seeds {
		if !f.bits[index(seed, value)] {
			return false
		}
	}
	return true
}

func (f *filter) cardinality() int {
	count := 0
	for _, bit := range f.bits {
		if bit {
			count++
		}
	}
	return count
}

// ---- draws and facts: facts.h ----

type splitMix struct {
	state uint64
}

func of(seed, index uint64) *splitMix {
	outer := splitMix{seed ^ (index * 0xd1342543de82ef95)}
	return &splitMix{outer.next()}
}

func (s *splitMix) next() uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

func (s *splitMix) below(bound uint64) int {
	return int((s.next() >> 33) % bound)
}

func answers(out *bufio.Writer, name string, answers []bool) {
	for from := 0; from < len(answers); from += 512 {
		var text strings.Builder
		for i := from; i < from+512 && i < len(answers); i += 4 {
			digit := 0
			for j := i; j < i+4; j++ {
				digit *= 2
				if j < len(answers) && answers[j] {
					digit++
				}
			}
			text.WriteByte("0123456789abcdef"[digit])
		}
		fmt.Fprintf(out, "%s@%d %s\n", name, from, text.String())
	}
}

// ---- cases: go_fnv14_ours.cc ----

const cases = 48

// The text of a number is its decimal digits; a string is arbitrary bytes.
func value(rng *splitMix, isNumber bool) string {
	if isNumber {
		any := rng.next()
		isSmall := rng.below(4) == 0
		if isSmall {
			return strconv.FormatInt(int64((any>>1)%20001)-10000, 10)
		}
		return fmt.Sprint(int64(any))
	}
	isWide := rng.below(16) == 0
	bound := uint64(30)
	if isWide {
		bound = 500
	}
	bytes := make([]byte, rng.below(bound))
	isText := rng.below(2) == 0
	for i := range bytes {
		bytes[i] = byte(rng.next() >> 56)
		if isText {
			bytes[i] = 'a' + bytes[i]%26
		}
	}
	return string(bytes)
}

func tryCase(seed, number uint64, out *bufio.Writer) {
	rng := of(seed, number)
	isNumber := rng.below(2) == 1
	isLarge := number%16 == 0
	puts := 1 + rng.below(6000)
	if isLarge {
		puts = 60000
	}
	asks := 6000
	values := rng.next()
	kind := "string"
	if isNumber {
		kind = "int64"
	}
	fmt.Fprintf(out, "case %d %s puts=%d\n", number, kind, puts)

	f := filter{make([]bool, capacity)}
	var put, present, absent []bool
	for i := 0; i < puts; i++ {
		again := rng.below(8) == 0
		which := rng.below(uint64(i) + 1)
		if !again {
			which = i
		}
		put = append(put, f.put(value(of(values, uint64(which)), isNumber)))
	}
	for i := 0; i < puts; i++ {
		present = append(present, f.mightContain(value(of(values, uint64(i)), isNumber)))
	}
	for i := 0; i < asks; i++ {
		absent = append(absent, f.mightContain(value(of(values, 1<<30+uint64(i)), isNumber)))
	}
	answers(out, "put", put)
	answers(out, "present", present)
	answers(out, "absent", absent)
	fmt.Fprintf(out, "set=%d\n", f.cardinality())
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: go_fnv14 SEED FACTS")
	}
	seed, err := strconv.ParseUint(os.Args[1], 10, 64)
	if err != nil {
		log.Fatal(err)
	}
	file, err := os.Create(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	out := bufio.NewWriter(file)
	for number := uint64(0); number < cases; number++ {
		tryCase(seed, number, out)
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
}
