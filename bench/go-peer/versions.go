package main

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
)

const group = "skyhook.nvidia.com"

var (
	alpha = schema.GroupVersion{Group: group, Version: "v1alpha1"}
	beta  = schema.GroupVersion{Group: group, Version: "v1beta1"}
)

// Skyhook is the v1alpha1 form: stored, and the hub of conversion.
type Skyhook struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec   `json:"spec,omitempty"`
	Status            Status `json:"status,omitempty"`
}

// SkyhookBeta is the v1beta1 form.
type SkyhookBeta struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec   `json:"spec,omitempty"`
	Status            Status `json:"status,omitempty"`
}

func (in *Skyhook) DeepCopyObject() runtime.Object {
	out := &Skyhook{TypeMeta: in.TypeMeta}
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	in.Spec.copyInto(&out.Spec)
	in.Status.copyInto(&out.Status)
	return out
}

func (in *SkyhookBeta) DeepCopyObject() runtime.Object {
	out := &SkyhookBeta{TypeMeta: in.TypeMeta}
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	in.Spec.copyInto(&out.Spec)
	in.Status.copyInto(&out.Status)
	return out
}

func (*Skyhook) Hub() {}

func (in *SkyhookBeta) ConvertTo(hub conversion.Hub) error {
	out, ok := hub.(*Skyhook)
	if !ok {
		return fmt.Errorf("hub is a %T", hub)
	}
	out.ObjectMeta, out.Spec, out.Status = in.ObjectMeta, in.Spec, in.Status
	out.Status.Conditions = mirrored(in.Status.Conditions)
	return nil
}

func (in *SkyhookBeta) ConvertFrom(hub conversion.Hub) error {
	from, ok := hub.(*Skyhook)
	if !ok {
		return fmt.Errorf("hub is a %T", hub)
	}
	in.ObjectMeta, in.Spec, in.Status = from.ObjectMeta, from.Spec, from.Status
	in.Status.Conditions = mirrored(from.Status.Conditions)
	return nil
}

func addToScheme(scheme *runtime.Scheme) {
	scheme.AddKnownTypeWithName(alpha.WithKind("Skyhook"), &Skyhook{})
	scheme.AddKnownTypeWithName(beta.WithKind("Skyhook"), &SkyhookBeta{})
	metav1.AddToGroupVersion(scheme, alpha)
	metav1.AddToGroupVersion(scheme, beta)
}

// mirrored puts behind each bare condition its twin under our prefix.
func mirrored(in []metav1.Condition) []metav1.Condition {
	twins := map[string]metav1.Condition{}
	for _, c := range in {
		twins[c.Type] = c
	}
	var out []metav1.Condition
	for _, c := range in {
		if len(c.Type) > len(group) && c.Type[:len(group)+1] == group+"/" {
			if _, bare := twins[c.Type[len(group)+1:]]; bare {
				continue
			}
			out = append(out, c)
			continue
		}
		twin := c
		twin.Type = group + "/" + c.Type
		if old, there := twins[twin.Type]; there && old.Status == c.Status {
			twin.LastTransitionTime = old.LastTransitionTime
		}
		out = append(out, c, twin)
	}
	return out
}
