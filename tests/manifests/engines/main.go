// Engines of others that judge what we render: Helm's templates and Prometheus' query language.
//
// A JSON request a line on stdin, a JSON answer a line on stdout:
//
//	{"chart": FOLDER, "namespace": NAME, "values": {…}}  ->  {"files": {NAME: TEXT}} or {"error": TEXT}
//	{"query": TEXT}                                      ->  {"metrics": [NAME]} or {"error": TEXT}
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sort"

	"github.com/prometheus/prometheus/promql/parser"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
)

type request struct {
	Chart     string                 `json:"chart"`
	Namespace string                 `json:"namespace"`
	Values    map[string]interface{} `json:"values"`
	Query     string                 `json:"query"`
}

type answer struct {
	Files   map[string]string `json:"files,omitempty"`
	Metrics []string          `json:"metrics,omitempty"`
	Error   string            `json:"error,omitempty"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked request
		var said answer
		err := json.Unmarshal(lines.Bytes(), &asked)
		if err == nil && asked.Chart != "" {
			said.Files, err = rendered(asked)
		} else if err == nil {
			said.Metrics, err = metrics(asked.Query)
		}
		if err != nil {
			said = answer{Error: err.Error()}
		}
		if err := out.Encode(said); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func rendered(asked request) (map[string]string, error) {
	chart, err := loader.Load(asked.Chart)
	if err != nil {
		return nil, err
	}
	release := chartutil.ReleaseOptions{Name: "skyhook-webhook", Namespace: asked.Namespace, IsInstall: true, Revision: 1}
	values, err := chartutil.ToRenderValues(chart, asked.Values, release, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return engine.Engine{Strict: true}.Render(chart, values)
}

func metrics(query string) ([]string, error) {
	tree, err := parser.ParseExpr(query)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	parser.Inspect(tree, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			found[selector.Name] = true
		}
		return nil
	})
	names := make([]string, 0, len(found))
	for name := range found {
		names = append(names, name)
	}
	sort.Strings(names)
	return names, nil
}
