// Reads texts, one base64 string in JSON a line, and prints what kubectl would make of each: the documents
// as JSON and the error, by the same decoder that kubectl's resource builder uses.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
)

type reading struct {
	Docs []string `json:"docs"`
	Err  string   `json:"err,omitempty"`
}

func read(text []byte) reading {
	found := reading{Docs: []string{}}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		document := runtime.RawExtension{}
		err := decoder.Decode(&document)
		if err == io.EOF {
			return found
		}
		if err != nil {
			found.Err = err.Error()
			return found
		}
		if len(document.Raw) > 0 {
			found.Docs = append(found.Docs, string(document.Raw))
		}
	}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<28)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		var text []byte
		if err := json.Unmarshal(lines.Bytes(), &text); err != nil {
			panic(err)
		}
		if err := out.Encode(read(text)); err != nil {
			panic(err)
		}
	}
}
