// Asks golang.org/x/mod/semver, as the operator's internal/version does, one JSON question a line on
// stdin: {"text": …, "other": …}. Run in any module that requires golang.org/x/mod.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"golang.org/x/mod/semver"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var q struct{ Text, Other string }
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		err := out.Encode(map[string]any{
			"ok":      semver.IsValid(prefixed(q.Text)),
			"compare": semver.Compare(prefixed(q.Text), prefixed(q.Other)),
		})
		if err != nil {
			panic(err)
		}
	}
}

func prefixed(text string) string {
	if text == "" || text[0] == 'v' {
		return text
	}
	return "v" + text
}
