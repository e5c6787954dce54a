package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/semver"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What upstream's own webhook refuses in a spec.

var packageName = regexp.MustCompile(`^[a-z][-a-z0-9]{0,41}[a-z]$`)

func checkSpec(s *Spec) error {
	budget := s.InterruptionBudget
	if budget.Count != nil && budget.Percent != nil {
		return fmt.Errorf("interruptionBudget: percent and count are both set")
	}
	if s.DeploymentPolicy != "" && (budget.Count != nil || budget.Percent != nil) {
		return fmt.Errorf("deploymentPolicy together with an interruptionBudget")
	}
	if _, err := metav1.LabelSelectorAsSelector(&s.NodeSelector); err != nil {
		return fmt.Errorf("nodeSelectors: %w", err)
	}
	for key, p := range s.Packages {
		if err := checkPackage(s, key, &p); err != nil {
			return fmt.Errorf("packages[%s]: %w", key, err)
		}
	}
	return nil
}

func checkPackage(s *Spec, key string, p *Package) error {
	if p.Name != key {
		return fmt.Errorf("name %q differs", p.Name)
	}
	if !packageName.MatchString(key) {
		return fmt.Errorf("not a name of a package")
	}
	for pattern := range p.ConfigInterrupts {
		if err := checkInterrupt(pattern, p.ConfigMap); err != nil {
			return err
		}
	}
	if _, tag, found := strings.Cut(p.Image[strings.LastIndex(p.Image, "/")+1:], ":"); found && tag != p.Version {
		return fmt.Errorf("image tag %q differs from version %q", tag, p.Version)
	}
	if !semver.IsValid("v" + strings.TrimPrefix(p.Version, "v")) {
		return fmt.Errorf("version %q is no semantic version", p.Version)
	}
	if p.Uninstall != nil && p.Uninstall.Apply && !p.Uninstall.Enabled {
		return fmt.Errorf("uninstall.apply without enabled")
	}
	for name, version := range p.DependsOn {
		other, there := s.Packages[name]
		if version == "" || !there || other.Version != version {
			return fmt.Errorf("dependsOn %s|%s, which is not there", name, version)
		}
	}
	return checkResources(p.Resources)
}

func checkInterrupt(pattern string, files map[string]string) error {
	if _, there := files[pattern]; there {
		return nil
	}
	for name := range files {
		if matched, err := filepath.Match(pattern, name); err == nil && matched {
			return nil
		}
	}
	return fmt.Errorf("configInterrupts[%s] matches no key of configMap", pattern)
}

func checkResources(r *Resources) error {
	if r == nil {
		return nil
	}
	set := 0
	for _, q := range []interface{ IsZero() bool }{&r.CPULimit, &r.CPURequest, &r.MemoryLimit, &r.MemoryRequest} {
		if !q.IsZero() {
			set++
		}
	}
	if set != 0 && set != 4 {
		return fmt.Errorf("resources: some but not all four")
	}
	if r.CPULimit.Cmp(r.CPURequest) < 0 || r.MemoryLimit.Cmp(r.MemoryRequest) < 0 {
		return fmt.Errorf("resources: a limit under its request")
	}
	return nil
}

// checkPackages refuses to drop or to lower a package that has to be uninstalled first.
func checkPackages(old, new *Skyhook) error {
	for name, before := range old.Spec.Packages {
		if before.Uninstall == nil || !before.Uninstall.Enabled {
			continue
		}
		after, stays := new.Spec.Packages[name]
		installed := onAnyNode(old, name+"|"+before.Version)
		if !stays && installed {
			return fmt.Errorf("packages[%s]: uninstall it before it is removed", name)
		}
		lower := stays && semver.Compare("v"+after.Version, "v"+before.Version) < 0
		if lower && (!before.Uninstall.Apply || installed) {
			return fmt.Errorf("packages[%s].version: uninstall it before it is lowered", name)
		}
	}
	return nil
}

func onAnyNode(s *Skyhook, key string) bool {
	for _, packages := range s.Status.NodeState {
		if _, there := packages[key]; there {
			return true
		}
	}
	return false
}
