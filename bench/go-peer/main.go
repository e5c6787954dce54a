// go-peer: what a Go team would build for the same task with controller-runtime, to measure ours against.
package main

import (
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"net/http"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
)

var log = ctrl.Log.WithName("skyhook-resource")

type guard struct{}

func (guard) ValidateCreate(_ context.Context, obj runtime.Object) (admission.Warnings, error) {
	return nil, judge(nil, obj)
}

func (guard) ValidateUpdate(_ context.Context, old, new runtime.Object) (admission.Warnings, error) {
	return nil, judge(old, new)
}

func (guard) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func judge(old, new runtime.Object) error {
	switch after := new.(type) {
	case *Skyhook:
		before, _ := old.(*Skyhook)
		log.Info("validation for Skyhook", "name", after.Name, "update", before != nil)
		return judgeSkyhook(before, after)
	case *corev1.Node:
		before, _ := old.(*corev1.Node)
		log.Info("validation for Node", "name", after.Name, "update", before != nil)
		if before == nil {
			before = &corev1.Node{}
		}
		return checkNode(before, after)
	}
	return fmt.Errorf("a %T", new)
}

func judgeSkyhook(old, new *Skyhook) error {
	if err := checkSpec(&new.Spec); err != nil {
		return err
	}
	if old == nil {
		return checkStatus(&Status{}, &new.Status)
	}
	if err := checkPackages(old, new); err != nil {
		return err
	}
	return checkStatus(&old.Status, &new.Status)
}

type mirrors struct{}

func (mirrors) Default(_ context.Context, obj runtime.Object) error {
	skyhook, ok := obj.(*Skyhook)
	if !ok {
		return fmt.Errorf("a %T", obj)
	}
	log.Info("defaulting for Skyhook", "name", skyhook.Name)
	skyhook.Status.Conditions = mirrored(skyhook.Status.Conditions)
	return nil
}

func main() {
	port := flag.Int("port", 9443, "")
	certs := flag.String("certs", ".", "folder with tls.crt and tls.key")
	metrics := flag.String("metrics", "127.0.0.1:0", "")
	flag.Parse()
	ctrl.SetLogger(zap.New(zap.UseDevMode(true))) // as kubebuilder scaffolds it: every line is written
	scheme := runtime.NewScheme()
	must(clientgoscheme.AddToScheme(scheme))
	addToScheme(scheme)
	serving := webhook.NewServer(webhook.Options{
		Host: "127.0.0.1", Port: *port, CertDir: *certs,
		TLSOpts: []func(*tls.Config){func(c *tls.Config) { c.NextProtos = []string{"http/1.1"} }},
	})
	manager, err := ctrl.NewManager(&rest.Config{Host: "https://127.0.0.1:1"}, ctrl.Options{
		Scheme: scheme, WebhookServer: serving, Metrics: server.Options{BindAddress: *metrics},
		HealthProbeBindAddress: "127.0.0.1:0",
	})
	must(err)
	must(manager.AddHealthzCheck("healthz", healthz.Ping))
	serving = manager.GetWebhookServer() // from here on the manager starts it
	byKind := map[string]admission.Handler{
		"Skyhook": admission.WithCustomValidator(scheme, &Skyhook{}, guard{}).Handler,
		"Node":    admission.WithCustomValidator(scheme, &corev1.Node{}, guard{}).Handler,
	}
	serving.Register("/validate", &webhook.Admission{Handler: admission.HandlerFunc(
		func(ctx context.Context, request admission.Request) admission.Response {
			if handler := byKind[request.Kind.Kind]; handler != nil {
				return handler.Handle(ctx, request)
			}
			return admission.Errored(http.StatusBadRequest, fmt.Errorf("kind %q", request.Kind.Kind))
		})})
	serving.Register("/mutate", admission.WithCustomDefaulter(scheme, &Skyhook{}, mirrors{}))
	serving.Register("/convert", conversion.NewWebhookHandler(scheme))
	must(manager.Start(ctrl.SetupSignalHandler()))
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
