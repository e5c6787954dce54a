package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// The schema that both versions share, as a Go operator would type it.

type Spec struct {
	AdditionalTolerations   []corev1.Toleration  `json:"additionalTolerations,omitempty"`
	AutoTaintNewNodes       bool                 `json:"autoTaintNewNodes,omitempty"`
	DeploymentPolicy        string               `json:"deploymentPolicy,omitempty"`
	DeploymentPolicyOptions *DeploymentOptions   `json:"deploymentPolicyOptions,omitempty"`
	InterruptionBudget      Budget               `json:"interruptionBudget,omitempty"`
	NodeSelector            metav1.LabelSelector `json:"nodeSelectors,omitempty"`
	Packages                map[string]Package   `json:"packages,omitempty"`
	PodNonInterruptLabels   metav1.LabelSelector `json:"podNonInterruptLabels,omitempty"`
	Priority                int                  `json:"priority,omitempty"`
	RuntimeRequired         bool                 `json:"runtimeRequired,omitempty"`
	Sequencing              string               `json:"sequencing,omitempty"`
	Serial                  bool                 `json:"serial,omitempty"`
}

type DeploymentOptions struct {
	ResetBatchStateOnCompletion *bool `json:"resetBatchStateOnCompletion,omitempty"`
}

type Budget struct {
	Count   *int `json:"count,omitempty"`
	Percent *int `json:"percent,omitempty"`
}

type Package struct {
	AgentImageOverride string               `json:"agentImageOverride,omitempty"`
	ConfigInterrupts   map[string]Interrupt `json:"configInterrupts,omitempty"`
	ConfigMap          map[string]string    `json:"configMap,omitempty"`
	ContainerSHA       string               `json:"containerSHA,omitempty"`
	DependsOn          map[string]string    `json:"dependsOn,omitempty"`
	Env                []corev1.EnvVar      `json:"env,omitempty"`
	GracefulShutdown   *metav1.Duration     `json:"gracefulShutdown,omitempty"`
	Image              string               `json:"image"`
	Interrupt          *Interrupt           `json:"interrupt,omitempty"`
	Name               string               `json:"name"`
	Resources          *Resources           `json:"resources,omitempty"`
	Uninstall          *Uninstall           `json:"uninstall,omitempty"`
	Version            string               `json:"version"`
}

type Interrupt struct {
	Services []string `json:"services,omitempty"`
	Type     string   `json:"type"`
}

type Resources struct {
	CPULimit      resource.Quantity `json:"cpuLimit,omitempty"`
	CPURequest    resource.Quantity `json:"cpuRequest,omitempty"`
	MemoryLimit   resource.Quantity `json:"memoryLimit,omitempty"`
	MemoryRequest resource.Quantity `json:"memoryRequest,omitempty"`
}

type Uninstall struct {
	Apply   bool `json:"apply"`
	Enabled bool `json:"enabled"`
}

type Status struct {
	CompartmentStatuses map[string]Compartment             `json:"compartmentStatuses,omitempty"`
	CompleteNodes       string                             `json:"completeNodes,omitempty"`
	Conditions          []metav1.Condition                 `json:"conditions,omitempty"`
	ConfigUpdates       map[string][]string                `json:"configUpdates,omitempty"`
	NodeBootIDs         map[string]string                  `json:"nodeBootIds,omitempty"`
	NodeOrderOffset     int                                `json:"nodeOrderOffset,omitempty"`
	NodePriority        map[string]metav1.Time             `json:"nodePriority,omitempty"`
	NodeState           map[string]map[string]PackageState `json:"nodeState,omitempty"`
	NodeStatus          map[string]string                  `json:"nodeStatus,omitempty"`
	NodesInProgress     int                                `json:"nodesInProgress"`
	ObservedGeneration  int64                              `json:"observedGeneration,omitempty"`
	PackageList         string                             `json:"packageList,omitempty"`
	Status              string                             `json:"status,omitempty"`
}

type PackageState struct {
	ContainerSHA string `json:"containerSHA,omitempty"`
	Image        string `json:"image"`
	Name         string `json:"name"`
	Restarts     int32  `json:"restarts,omitempty"`
	Stage        string `json:"stage"`
	State        string `json:"state"`
	Version      string `json:"version"`
}

type Compartment struct {
	BatchState      *BatchState        `json:"batchState,omitempty"`
	Ceiling         int                `json:"ceiling"`
	Completed       int                `json:"completed"`
	InProgress      int                `json:"inProgress"`
	Matched         int                `json:"matched"`
	ProgressPercent intstr.IntOrString `json:"progressPercent"`
}

type BatchState struct {
	CompletedNodes      int  `json:"completedNodes,omitempty"`
	ConsecutiveFailures int  `json:"consecutiveFailures,omitempty"`
	CurrentBatch        int  `json:"currentBatch,omitempty"`
	FailedNodes         int  `json:"failedNodes,omitempty"`
	LastBatchFailed     bool `json:"lastBatchFailed,omitempty"`
	LastBatchSize       int  `json:"lastBatchSize,omitempty"`
	ShouldStop          bool `json:"shouldStop,omitempty"`
}
