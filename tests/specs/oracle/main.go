// Asks the Go code that Kubernetes and the operator really run, one JSON question a line on stdin:
// {"ask": "quantity" | "selector" | "match" | "name" | "schema", …}; one JSON answer a line.
// Run from tests/controlplane, whose go.mod pins the modules: go run ../specs/oracle/main.go
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	kubevalidation "k8s.io/apimachinery/pkg/util/validation"
)

type question struct {
	Ask      string          `json:"ask"`
	Text     string          `json:"text"`
	Other    string          `json:"other"`
	Selector json.RawMessage `json:"selector"`
	Schema   string          `json:"schema"`
	Value    json.RawMessage `json:"value"`
}

type schema struct {
	structural *structuralschema.Structural
	validator  validation.SchemaValidator
}

var schemas = map[string]*schema{}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		if err := out.Encode(answer(q)); err != nil {
			panic(err)
		}
	}
}

func answer(q question) any {
	switch q.Ask {
	case "quantity":
		one, err := resource.ParseQuantity(q.Text)
		if err != nil {
			return map[string]any{"ok": false}
		}
		other, err := resource.ParseQuantity(q.Other)
		if err != nil {
			return map[string]any{"ok": true, "sign": one.Sign()}
		}
		return map[string]any{"ok": true, "sign": one.Sign(), "compare": one.Cmp(other)}
	case "selector":
		var selector metav1.LabelSelector
		if err := json.Unmarshal(q.Selector, &selector); err != nil {
			return map[string]any{"ok": false}
		}
		_, err := metav1.LabelSelectorAsSelector(&selector)
		return map[string]any{"ok": err == nil}
	case "match":
		ok, err := filepath.Match(q.Text, q.Other)
		return map[string]any{"ok": ok && err == nil}
	case "name":
		return map[string]any{"ok": len(kubevalidation.IsDNS1123Subdomain(q.Text)) == 0}
	case "schema":
		return check(q)
	}
	panic("what is " + q.Ask)
}

// What the API server makes of a custom resource: prune, drop nulls, default, validate.
func check(q question) any {
	known := load(q.Schema)
	var value map[string]any
	if err := utiljson.Unmarshal(q.Value, &value); err != nil {
		return map[string]any{"ok": false, "errors": []string{err.Error()}}
	}
	unknown := pruning.PruneWithOptions(value, known.structural, true,
		structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	defaulting.PruneNonNullableNullsWithoutDefaults(value, known.structural)
	defaulting.Default(value, known.structural)
	found := validation.ValidateCustomResource(nil, value, known.validator)
	found = append(found, listtype.ValidateListSetsAndMaps(nil, known.structural, value)...)
	texts, places := []string{}, []string{}
	for _, one := range found {
		texts = append(texts, one.Error())
		places = append(places, one.Field)
	}
	return map[string]any{"ok": len(found) == 0, "errors": texts, "fields": places, "unknown": unknown}
}

func load(text string) *schema {
	if found, ok := schemas[text]; ok {
		return found
	}
	var props apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal([]byte(text), &props); err != nil {
		panic(err)
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&props, &internal, nil); err != nil {
		panic(err)
	}
	structural, err := structuralschema.NewStructural(&internal)
	if err != nil {
		panic(err)
	}
	validator, _, err := validation.NewSchemaValidator(&internal)
	if err != nil {
		panic(fmt.Sprint(err))
	}
	schemas[text] = &schema{structural, validator}
	return schemas[text]
}
