//! async-openai: what it asks for is written as JSON and read into its types, what it answers is read by them alone.

use std::env;
use std::future::Future;

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use async_openai::types::audio::{AudioInput, CreateTranscriptionRequest};
use futures::StreamExt;
use serde_json::{Value, json};

type Done = Result<(), Box<dyn std::error::Error>>;

const MODEL: &str = "svc-gpt";
const SPEECH: &str = "openai/gpt-4o-mini-tts-2025-12-15";
/// One red pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// Prints whether the work ended without an error.
async fn feature(name: &str, work: impl Future<Output = Done>) {
    let rest = match work.await {
        Ok(()) => "\"passed\":true".to_string(),
        Err(error) => format!("\"passed\":false,\"why\":{}", json!(error.to_string())),
    };
    println!("{{\"feature\":\"{name}\",{rest}}}");
}

fn check(is_true: bool) -> Done {
    if is_true { Ok(()) } else { Err("an answer is not as it should be".into()) }
}

/// A request of whichever type the call takes.
fn of<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, serde_json::Error> {
    serde_json::from_value(value)
}

fn asked(model: &str, content: Value) -> Value {
    json!({"model": model, "messages": [{"role": "user", "content": content}]})
}

fn with(mut value: Value, name: &str, member: Value) -> Value {
    value[name] = member;
    value
}

async fn tools(client: &Client<OpenAIConfig>) -> Done {
    let number = json!({"type": "number"});
    let parameters = json!({"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]});
    let offered = json!([{"type": "function", "function": {"name": "add", "parameters": parameters}}]);
    let request = with(asked(MODEL, json!("Use add on 2 and 3.")), "tools", offered);
    let first = client.chat().create(of(request.clone())?).await?;
    let calls = serde_json::to_value(&first.choices[0].message.tool_calls)?;
    let result = json!({"role": "tool", "tool_call_id": calls[0]["id"], "content": "4217"});
    let messages = json!([request["messages"][0], {"role": "assistant", "tool_calls": calls}, result]);
    let last = client.chat().create(of(with(request, "messages", messages))?).await?;
    check(last.choices[0].message.content.as_deref().unwrap_or("").contains("4217"))
}

async fn stream(client: &Client<OpenAIConfig>) -> Done {
    let request = with(asked(MODEL, json!("Say hello.")), "stream_options", json!({"include_usage": true}));
    let mut chunks = client.chat().create_stream(of(with(request, "stream", json!(true)))?).await?;
    let (mut text, mut tokens) = (String::new(), 0);
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        tokens += chunk.usage.map_or(0, |usage| usage.total_tokens);
        for choice in chunk.choices {
            text += choice.delta.content.as_deref().unwrap_or("");
        }
    }
    check(!text.is_empty() && tokens > 0)
}

async fn responses(client: &Client<OpenAIConfig>) -> Done {
    let request = json!({"model": MODEL, "input": "Say hello."});
    let whole = client.responses().create(of(request.clone())?).await?;
    check(!whole.output_text().unwrap_or_default().is_empty())?;
    let mut events = client.responses().create_stream(of(with(request, "stream", json!(true)))?).await?;
    let mut count = 0;
    while let Some(event) = events.next().await {
        event?;
        count += 1;
    }
    check(count > 4)
}

async fn failure(client: &Client<OpenAIConfig>, model: &str, status: u16, code: &str) -> Done {
    match client.chat().create(of(asked(model, json!("Say hello.")))?).await {
        Err(OpenAIError::ApiError(refused)) => {
            check(refused.status_code.as_u16() == status && refused.api_error.code.as_deref() == Some(code))
        }
        other => Err(format!("the call was not refused: {other:?}").into()),
    }
}

#[tokio::main]
async fn main() {
    let base = format!("{}/v1", env::var("SVC_BASE_URL").unwrap());
    let config = OpenAIConfig::new().with_api_base(base).with_api_key(env::var("SVC_API_KEY").unwrap());
    let client = Client::with_config(config);
    feature("chat", async {
        let answer = client.chat().create(of(asked(MODEL, json!("Say hello.")))?).await?;
        check(answer.choices[0].message.content.is_some() && answer.usage.is_some())
    })
    .await;
    feature("stream", stream(&client)).await;
    feature("tools", tools(&client)).await;
    feature("schema", async {
        let schema = json!({"type": "object", "properties": {"inhabitants": {"type": "integer"}}, "required": ["inhabitants"]});
        let format = json!({"type": "json_schema", "json_schema": {"name": "city", "schema": schema}});
        let request = with(asked(MODEL, json!("Say hello.")), "response_format", format);
        let answer = client.chat().create(of(request)?).await?;
        let value: Value = serde_json::from_str(answer.choices[0].message.content.as_deref().unwrap_or(""))?;
        check(value["inhabitants"].is_i64())
    })
    .await;
    feature("images_in", async {
        let url = format!("data:image/png;base64,{PNG}");
        let parts = json!([{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": url}}]);
        let answer = client.chat().create(of(asked(MODEL, parts))?).await?;
        check(answer.choices[0].message.content.as_deref().unwrap_or("").to_lowercase().contains("png"))
    })
    .await;
    feature("responses", responses(&client)).await;
    feature("completions", async {
        let request = json!({"model": MODEL, "prompt": "Say hello.", "max_tokens": 40});
        let answer = client.completions().create(of(request)?).await?;
        check(!answer.choices[0].text.is_empty())
    })
    .await;
    feature("embeddings", async {
        let request = json!({"model": "text-embedding-3-small", "input": ["One.", "Two."]});
        let answer = client.embeddings().create(of(request)?).await?;
        check(answer.data.len() == 2 && answer.data[1].embedding.len() == 1536)
    })
    .await;
    feature("images", async {
        let request = json!({"model": "svc-image", "prompt": "A lighthouse."});
        check(client.images().generate(of(request)?).await?.data.len() == 1)
    })
    .await;
    let speech = json!({"model": SPEECH, "input": "Hello there.", "voice": "nova", "response_format": "wav"});
    feature("speech", async {
        let spoken = client.audio().speech().create(of(speech.clone())?).await?;
        check(spoken.bytes.starts_with(b"RIFF"))
    })
    .await;
    feature("transcription", async {
        let spoken = client.audio().speech().create(of(speech.clone())?).await?;
        let file = AudioInput::from_bytes("hello.wav".into(), spoken.bytes);
        let request = CreateTranscriptionRequest { file, model: "openai/whisper-1".into(), ..Default::default() };
        check(!client.audio().transcription().create(request).await?.text.is_empty())
    })
    .await;
    feature("moderations", async {
        let answer = client.moderations().create(of(json!({"input": "How to kill a process"}))?).await?;
        check(answer.results[0].flagged && answer.results[0].categories.violence)
    })
    .await;
    feature("models", async { check(client.models().list().await?.data.iter().any(|model| model.id == MODEL)) }).await;
    feature("error", failure(&client, "no-such-model", 404, "model_not_found")).await;
    feature("credits", failure(&client, "svc-sandbox/402", 402, "insufficient_credits")).await;
}
