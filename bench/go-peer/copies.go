package main

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Deep copies, as controller-gen would write them.

func pointer[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

func each[K comparable, V any](m map[K]V, copy func(V) V) map[K]V {
	if m == nil {
		return nil
	}
	out := make(map[K]V, len(m))
	for k, v := range m {
		out[k] = copy(v)
	}
	return out
}

func (in *Spec) copyInto(out *Spec) {
	*out = *in
	out.AdditionalTolerations = nil
	for _, t := range in.AdditionalTolerations {
		out.AdditionalTolerations = append(out.AdditionalTolerations, *t.DeepCopy())
	}
	if o := in.DeploymentPolicyOptions; o != nil {
		out.DeploymentPolicyOptions = &DeploymentOptions{pointer(o.ResetBatchStateOnCompletion)}
	}
	out.InterruptionBudget = Budget{pointer(in.InterruptionBudget.Count), pointer(in.InterruptionBudget.Percent)}
	in.NodeSelector.DeepCopyInto(&out.NodeSelector)
	in.PodNonInterruptLabels.DeepCopyInto(&out.PodNonInterruptLabels)
	out.Packages = each(in.Packages, Package.copy)
}

func (in Interrupt) copy() Interrupt {
	in.Services = slices.Clone(in.Services)
	return in
}

func (in Package) copy() Package {
	in.ConfigInterrupts = each(in.ConfigInterrupts, Interrupt.copy)
	in.ConfigMap = maps.Clone(in.ConfigMap)
	in.DependsOn = maps.Clone(in.DependsOn)
	env := make([]corev1.EnvVar, 0, len(in.Env))
	for i := range in.Env {
		env = append(env, *in.Env[i].DeepCopy())
	}
	in.Env = env
	in.GracefulShutdown = pointer(in.GracefulShutdown)
	if in.Interrupt != nil {
		one := in.Interrupt.copy()
		in.Interrupt = &one
	}
	if r := in.Resources; r != nil {
		in.Resources = &Resources{
			r.CPULimit.DeepCopy(), r.CPURequest.DeepCopy(), r.MemoryLimit.DeepCopy(), r.MemoryRequest.DeepCopy(),
		}
	}
	in.Uninstall = pointer(in.Uninstall)
	return in
}

func (in *Status) copyInto(out *Status) {
	*out = *in
	out.CompartmentStatuses = each(in.CompartmentStatuses, func(c Compartment) Compartment {
		c.BatchState = pointer(c.BatchState)
		return c
	})
	out.Conditions = slices.Clone(in.Conditions)
	out.ConfigUpdates = each(in.ConfigUpdates, slices.Clone[[]string])
	out.NodeBootIDs = maps.Clone(in.NodeBootIDs)
	out.NodePriority = each(in.NodePriority, func(t metav1.Time) metav1.Time { return *t.DeepCopy() })
	out.NodeState = each(in.NodeState, maps.Clone[map[string]PackageState])
	out.NodeStatus = maps.Clone(in.NodeStatus)
}
