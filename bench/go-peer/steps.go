package main

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// The status document's flow of stages, in simple form.

type pair struct{ stage, state string }

var (
	stages = []string{"apply", "config", "interrupt", "post-interrupt", "upgrade", "uninstall", "uninstall-interrupt"}
	states = []string{"complete", "in_progress", "skipped", "erroring", "unknown"}
	words  = []string{"complete", "blocked", "waiting", "disabled", "paused", "in_progress", "erroring", "unknown"}
	follow = map[string][]string{
		"apply":               {"config", "interrupt", "uninstall"},
		"config":              {"interrupt", "post-interrupt", "upgrade", "uninstall"},
		"interrupt":           {"post-interrupt", "uninstall"},
		"post-interrupt":      {"config", "upgrade", "uninstall", "apply"},
		"upgrade":             {"config", "uninstall"},
		"uninstall":           {"uninstall-interrupt", "apply"},
		"uninstall-interrupt": {"apply"},
	}
	edges    = map[[2]pair]bool{}
	statuses = map[string]bool{}
	pairs    = map[pair]bool{}
)

func init() {
	for _, word := range words {
		statuses[word] = true
	}
	for _, stage := range stages {
		for _, from := range states {
			pairs[pair{stage, from}] = true
			for _, to := range states {
				edges[[2]pair{{stage, from}, {stage, to}}] = true
				for _, next := range follow[stage] {
					edges[[2]pair{{stage, from}, {next, to}}] = true
				}
			}
		}
	}
}

func checkStep(old, new map[string]PackageState) error {
	for key, after := range new {
		to := pair{after.Stage, after.State}
		if !pairs[to] {
			return fmt.Errorf("[%s]: %s/%s is no stage and state", key, to.stage, to.state)
		}
		if after.Name+"|"+after.Version != key {
			return fmt.Errorf("[%s]: name and version are others", key)
		}
		if before, there := old[key]; there {
			from := pair{before.Stage, before.State}
			if from != to && !edges[[2]pair{from, to}] {
				return fmt.Errorf("[%s]: no step from %s/%s to %s/%s", key, from.stage, from.state, to.stage, to.state)
			}
		}
	}
	return nil
}

func checkStatus(old, new *Status) error {
	if new.Status != "" && !statuses[new.Status] {
		return fmt.Errorf("status: %q is no status", new.Status)
	}
	for node, word := range new.NodeStatus {
		if !statuses[word] {
			return fmt.Errorf("nodeStatus[%s]: %q is no status", node, word)
		}
	}
	for node, packages := range new.NodeState {
		if err := checkStep(old.NodeState[node], packages); err != nil {
			return fmt.Errorf("nodeState[%s]%w", node, err)
		}
	}
	return nil
}

func checkNode(old, new *corev1.Node) error {
	for key, text := range new.Annotations {
		if !strings.HasPrefix(key, group+"/nodeState_") || text == old.Annotations[key] {
			continue
		}
		var before, after map[string]PackageState
		if err := json.Unmarshal([]byte(text), &after); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		_ = json.Unmarshal([]byte(old.Annotations[key]), &before)
		if err := checkStep(before, after); err != nil {
			return fmt.Errorf("%s%w", key, err)
		}
	}
	return nil
}
