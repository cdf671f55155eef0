// openai-go: every endpoint that it has and the gateway serves.
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

const (
	model  = "svc-gpt"
	speech = "openai/gpt-4o-mini-tts-2025-12-15"
	// One red pixel.
	png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

var (
	ctx    = context.Background()
	client = openai.NewClient(
		option.WithBaseURL(os.Getenv("SVC_BASE_URL")+"/v1"),
		option.WithAPIKey(os.Getenv("SVC_API_KEY")),
		option.WithMaxRetries(0),
	)
	errAnswer = errors.New("an answer is not as it should be")
)

// Prints whether the work ended without an error.
func feature(name string, work func() error) {
	result := map[string]any{"feature": name, "passed": true}
	if err := work(); err != nil {
		result["passed"], result["why"] = false, err.Error()
	}
	line, _ := json.Marshal(result)
	// The runner looks for this beginning.
	fmt.Printf("{\"feature\"%s\n", strings.TrimPrefix(string(line), "{\"feature\""))
}

func check(isTrue bool) error {
	if isTrue {
		return nil
	}
	return errAnswer
}

func asked(name string, text string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:    name,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)},
	}
}

func object(required ...string) map[string]any {
	properties := map[string]any{}
	for _, name := range required {
		properties[name] = map[string]any{"type": "number"}
	}
	return map[string]any{
		"type": "object", "properties": properties, "required": required, "additionalProperties": false,
	}
}

func tools() error {
	params := asked(model, "Use add on 2 and 3.")
	params.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(
		shared.FunctionDefinitionParam{Name: "add", Parameters: object("a", "b")},
	)}
	first, err := client.Chat.Completions.New(ctx, params)
	if err != nil {
		return err
	}
	calls := first.Choices[0].Message.ToolCalls
	if len(calls) != 1 {
		return errAnswer
	}
	params.Messages = append(params.Messages, first.Choices[0].Message.ToParam(), openai.ToolMessage("4217", calls[0].ID))
	last, err := client.Chat.Completions.New(ctx, params)
	if err != nil {
		return err
	}
	return check(strings.Contains(last.Choices[0].Message.Content, "4217"))
}

func stream() error {
	params := asked(model, "Say hello.")
	params.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	events := client.Chat.Completions.NewStreaming(ctx, params)
	whole := openai.ChatCompletionAccumulator{}
	for events.Next() {
		whole.AddChunk(events.Current())
	}
	if events.Err() != nil {
		return events.Err()
	}
	return check(whole.Choices[0].Message.Content != "" && whole.Usage.TotalTokens > 0)
}

func respond() error {
	params := responses.ResponseNewParams{
		Model: model,
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Say hello.")},
	}
	whole, err := client.Responses.New(ctx, params)
	if err != nil {
		return err
	}
	if whole.OutputText() == "" || whole.Status != "completed" {
		return errAnswer
	}
	events := client.Responses.NewStreaming(ctx, params)
	last := ""
	for events.Next() {
		last = events.Current().Type
	}
	if events.Err() != nil {
		return events.Err()
	}
	return check(last == "response.completed")
}

func spoken() ([]byte, error) {
	answer, err := client.Audio.Speech.New(ctx, openai.AudioSpeechNewParams{
		Model: speech, Input: "Hello there.", ResponseFormat: "wav",
		Voice: openai.AudioSpeechNewParamsVoiceUnion{OfString: param.NewOpt("nova")},
	})
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return io.ReadAll(answer.Body)
}

func batch() error {
	body, _ := json.Marshal(map[string]any{
		"model": model, "max_tokens": 20, "messages": []any{map[string]any{"role": "user", "content": "Say hello."}},
	})
	line := fmt.Sprintf(`{"custom_id":"1","method":"POST","url":"/v1/chat/completions","body":%s}`, body)
	file, err := client.Files.New(ctx, openai.FileNewParams{
		File: openai.File(strings.NewReader(line), "lines.jsonl", "application/jsonl"), Purpose: openai.FilePurposeBatch,
	})
	if err != nil {
		return err
	}
	made, err := client.Batches.New(ctx, openai.BatchNewParams{
		InputFileID: file.ID, Endpoint: "/v1/chat/completions", CompletionWindow: "24h",
	})
	end := time.Now().Add(2 * time.Minute)
	for err == nil && made.Status != "completed" {
		if time.Now().After(end) || made.Status == "failed" {
			return fmt.Errorf("the batch is %s", made.Status)
		}
		time.Sleep(500 * time.Millisecond)
		made, err = client.Batches.Get(ctx, made.ID)
	}
	if err != nil {
		return err
	}
	written, err := client.Files.Content(ctx, made.OutputFileID)
	if err != nil {
		return err
	}
	defer written.Body.Close()
	text, err := io.ReadAll(written.Body)
	if err != nil {
		return err
	}
	return check(strings.Contains(string(text), `"custom_id":"1"`))
}

func failure(name string, status int, code string) error {
	_, err := client.Chat.Completions.New(ctx, asked(name, "Say hello."))
	var refused *openai.Error
	if !errors.As(err, &refused) {
		return fmt.Errorf("the call was not refused: %v", err)
	}
	if refused.StatusCode != status || refused.Code != code {
		return refused
	}
	return nil
}

func main() {
	feature("chat", func() error {
		answer, err := client.Chat.Completions.New(ctx, asked(model, "Say hello."))
		if err != nil {
			return err
		}
		return check(answer.Choices[0].Message.Content != "" && answer.Usage.TotalTokens > 0)
	})
	feature("stream", stream)
	feature("tools", tools)
	feature("schema", func() error {
		params := asked(model, "Say hello.")
		params.ResponseFormat = openai.ChatCompletionNewParamsResponseFormatUnion{
			OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
				Name: "city", Schema: object("inhabitants"), Strict: openai.Bool(true),
			}},
		}
		answer, err := client.Chat.Completions.New(ctx, params)
		if err != nil {
			return err
		}
		var city struct{ Inhabitants *float64 }
		if err := json.Unmarshal([]byte(answer.Choices[0].Message.Content), &city); err != nil {
			return err
		}
		return check(city.Inhabitants != nil)
	})
	feature("images_in", func() error {
		params := asked(model, "")
		params.Messages = []openai.ChatCompletionMessageParamUnion{openai.UserMessage(
			[]openai.ChatCompletionContentPartUnionParam{
				openai.TextContentPart("What is it?"),
				openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{
					URL: "data:image/png;base64," + png,
				}),
			},
		)}
		answer, err := client.Chat.Completions.New(ctx, params)
		if err != nil {
			return err
		}
		return check(strings.Contains(strings.ToLower(answer.Choices[0].Message.Content), "png"))
	})
	feature("responses", respond)
	feature("completions", func() error {
		answer, err := client.Completions.New(ctx, openai.CompletionNewParams{
			Model: model, MaxTokens: openai.Int(40),
			Prompt: openai.CompletionNewParamsPromptUnion{OfString: openai.String("Say hello.")},
		})
		if err != nil {
			return err
		}
		return check(answer.Choices[0].Text != "")
	})
	feature("embeddings", func() error {
		answer, err := client.Embeddings.New(ctx, openai.EmbeddingNewParams{
			Model: "text-embedding-3-small",
			Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"One.", "Two."}},
		})
		if err != nil {
			return err
		}
		return check(len(answer.Data) == 2 && len(answer.Data[1].Embedding) == 1536)
	})
	feature("images", func() error {
		answer, err := client.Images.Generate(ctx, openai.ImageGenerateParams{Model: "svc-image", Prompt: "A lighthouse."})
		if err != nil {
			return err
		}
		_, err = base64.StdEncoding.DecodeString(answer.Data[0].B64JSON)
		return err
	})
	feature("speech", func() error {
		wav, err := spoken()
		if err != nil {
			return err
		}
		return check(bytes.HasPrefix(wav, []byte("RIFF")))
	})
	feature("transcription", func() error {
		wav, err := spoken()
		if err != nil {
			return err
		}
		answer, err := client.Audio.Transcriptions.New(ctx, openai.AudioTranscriptionNewParams{
			Model: "openai/whisper-1", File: openai.File(bytes.NewReader(wav), "hello.wav", "audio/wav"),
		})
		if err != nil {
			return err
		}
		return check(answer.Text != "")
	})
	feature("moderations", func() error {
		answer, err := client.Moderations.New(ctx, openai.ModerationNewParams{
			Input: openai.ModerationNewParamsInputUnion{OfString: openai.String("How to kill a process")},
		})
		if err != nil {
			return err
		}
		return check(answer.Results[0].Flagged && answer.Results[0].Categories.Violence)
	})
	feature("batches", batch)
	feature("models", func() error {
		pages := client.Models.ListAutoPaging(ctx)
		isThere := false
		for pages.Next() {
			isThere = isThere || pages.Current().ID == model
		}
		if pages.Err() != nil {
			return pages.Err()
		}
		return check(isThere)
	})
	feature("error", func() error { return failure("no-such-model", 404, "model_not_found") })
	feature("credits", func() error { return failure("svc-sandbox/402", 402, "insufficient_credits") })
}
