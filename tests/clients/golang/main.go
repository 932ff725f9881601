// The Go management client and its poller, unmodified, through one operation. Reads what to do from standard input as JSON; says
// "started" once the first answer is there, and prints how the operation ended as JSON.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	armruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/arm/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/resources/armresources"
)

const betweenPolls = 20 * time.Millisecond

type task struct {
	Verb, Endpoint, Subscription, Path, APIVersion, Tenant, Client string
	Body                                                           json.RawMessage
}

type outcome struct {
	Outcome  string            `json:"outcome"`
	Result   any               `json:"result,omitempty"`
	Status   int               `json:"status,omitempty"`
	Code     string            `json:"code,omitempty"`
	Text     string            `json:"text,omitempty"`
	Versions map[string]string `json:"versions"`
}

type unusedCredential struct{}

func (unusedCredential) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: "unused", ExpiresOn: time.Now().Add(time.Hour)}, nil
}

func main() {
	var t task
	if err := json.NewDecoder(os.Stdin).Decode(&t); err != nil {
		panic(err)
	}
	ctx := policy.WithHTTPHeader(context.Background(), http.Header{"x-ms-home-tenant-id": {t.Tenant}, "x-ms-client-object-id": {t.Client}})
	result, err := run(ctx, t)
	ended := outcome{Outcome: "succeeded", Result: result, Versions: versions()}
	if err != nil {
		ended.Outcome, ended.Text = "failed", err.Error()
		var refused *azcore.ResponseError
		if errors.As(err, &refused) {
			ended.Status, ended.Code = refused.StatusCode, refused.ErrorCode
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(ended); err != nil {
		panic(err)
	}
}

func run(ctx context.Context, t task) (any, error) {
	options := &arm.ClientOptions{ClientOptions: policy.ClientOptions{
		InsecureAllowCredentialWithHTTP: true,
		Cloud: cloud.Configuration{Services: map[cloud.ServiceName]cloud.ServiceConfiguration{
			cloud.ResourceManager: {Endpoint: t.Endpoint, Audience: "https://management.azure.com"}}},
	}}
	client, err := armresources.NewClient(t.Subscription, unusedCredential{}, options)
	if err != nil {
		return nil, err
	}
	var resource armresources.GenericResource
	if len(t.Body) > 0 {
		if err := json.Unmarshal(t.Body, &resource); err != nil {
			return nil, err
		}
	}
	switch t.Verb {
	case "PUT":
		return finish[armresources.ClientCreateOrUpdateByIDResponse](ctx)(client.BeginCreateOrUpdateByID(ctx, t.Path, t.APIVersion, resource, nil))
	case "PATCH":
		return finish[armresources.ClientUpdateByIDResponse](ctx)(client.BeginUpdateByID(ctx, t.Path, t.APIVersion, resource, nil))
	case "DELETE":
		return finish[armresources.ClientDeleteByIDResponse](ctx)(client.BeginDeleteByID(ctx, t.Path, t.APIVersion, nil))
	}
	return act(ctx, t, options)
}

// An action, for which the management client has no method: its pipeline and poller.
func act(ctx context.Context, t task, options *arm.ClientOptions) (any, error) {
	pipeline, err := armruntime.NewPipeline("acceptd-client-tests", "v1.0.0", unusedCredential{}, runtime.PipelineOptions{}, options)
	if err != nil {
		return nil, err
	}
	request, err := runtime.NewRequest(ctx, http.MethodPost, t.Endpoint+t.Path+"?api-version="+t.APIVersion)
	if err != nil {
		return nil, err
	}
	answer, err := pipeline.Do(request)
	if err != nil {
		return nil, err
	}
	if !runtime.HasStatusCode(answer, http.StatusAccepted) {
		return nil, runtime.NewResponseError(answer)
	}
	return finish[map[string]any](ctx)(runtime.NewPoller(answer, pipeline, &runtime.NewPollerOptions[map[string]any]{FinalStateVia: runtime.FinalStateViaLocation}))
}

// Polls to the end; the interval is the only thing that is not the default (which is no less than a second).
func finish[T any](ctx context.Context) func(*runtime.Poller[T], error) (any, error) {
	return func(poller *runtime.Poller[T], err error) (any, error) {
		if err != nil {
			return nil, err
		}
		fmt.Println("started")
		for !poller.Done() {
			time.Sleep(betweenPolls)
			if _, err := poller.Poll(ctx); err != nil {
				return nil, err
			}
		}
		result, err := poller.Result(ctx)
		if err != nil {
			return nil, err
		}
		return result, nil
	}
}

func versions() map[string]string {
	found := map[string]string{}
	info, _ := debug.ReadBuildInfo()
	found["go"] = info.GoVersion
	for _, module := range info.Deps {
		found[module.Path] = module.Version
	}
	return found
}
