"""openai for Python: every endpoint that it has and the gateway serves."""

import io
import json
import time

from feature import KEY, MODEL, PNG_URL, V1, feature, refused
from openai import APIStatusError, BadRequestError, NotFoundError, OpenAI
from pydantic import BaseModel

client = OpenAI(base_url=V1, api_key=KEY, max_retries=0)
HELLO = [{"role": "user", "content": "Say hello."}]
TOOL = {
    "name": "add",
    "description": "Adds two numbers.",
    "parameters": {
        "type": "object",
        "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
        "required": ["a", "b"],
        "additionalProperties": False,
    },
}


class City(BaseModel):
    name: str
    inhabitants: int


@feature("chat")
def chat():
    answer = client.chat.completions.create(model=MODEL, messages=HELLO)
    assert answer.choices[0].message.content and answer.usage.total_tokens > 0
    assert answer.svc["credits_charged"] > 0


@feature("stream")
def stream():
    with client.chat.completions.stream(
        model=MODEL, messages=HELLO, stream_options={"include_usage": True}
    ) as events:
        kinds = {event.type for event in events}
        answer = events.get_final_completion()
    assert "content.delta" in kinds and answer.choices[0].finish_reason == "stop" and answer.usage.total_tokens > 0


@feature("tools")
def tools():
    messages = [{"role": "user", "content": "Use add on 2 and 3."}]
    offered = [{"type": "function", "function": TOOL}]
    first = client.chat.completions.create(model=MODEL, messages=messages, tools=offered).choices[0]
    assert first.finish_reason == "tool_calls"
    call = first.message.tool_calls[0]
    assert set(json.loads(call.function.arguments)) == {"a", "b"}
    messages += [first.message, {"role": "tool", "tool_call_id": call.id, "content": "5"}]
    last = client.chat.completions.create(model=MODEL, messages=messages, tools=offered).choices[0]
    assert "5" in last.message.content and last.finish_reason == "stop"


@feature("schema")
def schema():
    answer = client.chat.completions.parse(model=MODEL, messages=HELLO, response_format=City)
    assert isinstance(answer.choices[0].message.parsed, City)


@feature("images_in")
def images_in():
    parts = [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": PNG_URL}}]
    answer = client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": parts}])
    assert "png" in answer.choices[0].message.content.lower()


@feature("responses")
def responses():
    offered = [{"type": "function", "strict": True, **TOOL}]
    asked = [{"role": "user", "content": "Use add on 2 and 3."}]
    first = client.responses.create(model=MODEL, input=asked, tools=offered)
    call = next(item for item in first.output if item.type == "function_call")
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "5"}
    with client.responses.stream(model=MODEL, input=[*asked, *first.output, result], tools=offered) as events:
        kinds = {event.type for event in events}
        last = events.get_final_response()
    assert "response.output_text.delta" in kinds and "5" in last.output_text and last.status == "completed"
    parsed = client.responses.parse(model=MODEL, input="Say hello.", text_format=City)
    assert isinstance(parsed.output_parsed, City)


@feature("completions")
def completions():
    answer = client.completions.create(model=MODEL, prompt="Say hello.", max_tokens=40)
    assert answer.choices[0].text
    chunks = list(client.completions.create(model=MODEL, prompt="Say hello.", max_tokens=40, stream=True))
    assert "".join(chunk.choices[0].text for chunk in chunks if chunk.choices)


@feature("embeddings")
def embeddings():
    answer = client.embeddings.create(model="text-embedding-3-small", input=["A red apple.", "A green pear."])
    assert [len(each.embedding) for each in answer.data] == [1536, 1536]


@feature("images")
def images():
    answer = client.images.generate(model="svc-image", prompt="A lighthouse.", size="1024x1024")
    assert answer.data[0].b64_json


SPEECH = "openai/gpt-4o-mini-tts-2025-12-15"


@feature("speech")
def speech():
    answer = client.audio.speech.create(model=SPEECH, input="Hello there.", voice="nova", response_format="wav")
    assert answer.content[:4] == b"RIFF"


@feature("transcription")
def transcription():
    spoken = client.audio.speech.create(model=SPEECH, input="Hello there.", voice="nova", response_format="wav")
    file = ("hello.wav", io.BytesIO(spoken.content))
    answer = client.audio.transcriptions.create(model="openai/whisper-1", file=file, response_format="verbose_json")
    assert answer.text and answer.segments


@feature("rerank")
def rerank():
    body = {"model": "rerank-v3.5", "query": "fruit pear", "documents": ["A red car.", "A green pear."]}
    assert client.post("/rerank", body=body, cast_to=object)["results"][0]["index"] == 1


@feature("moderations")
def moderations():
    answer = client.moderations.create(input="How to kill a process")
    assert answer.results[0].flagged and answer.results[0].categories.violence


@feature("batches")
def batches():
    body = {"model": MODEL, "max_tokens": 20, "messages": HELLO}
    line = {"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": body}
    file = client.files.create(file=("lines.jsonl", json.dumps(line).encode()), purpose="batch")
    batch = client.batches.create(
        input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h"
    )
    end = time.monotonic() + 120
    while batch.status not in ("completed", "failed", "expired", "cancelled"):
        assert time.monotonic() < end, batch.status
        time.sleep(0.5)
        batch = client.batches.retrieve(batch.id)
    written = json.loads(client.files.content(batch.output_file_id).text)
    assert written["custom_id"] == "1" and written["response"]["status_code"] == 200
    assert client.files.delete(file.id).deleted


@feature("models")
def models():
    assert MODEL in {model.id for model in client.models.list()}
    assert client.models.retrieve(MODEL).id == MODEL


@feature("error")
def error():
    absent = refused(
        NotFoundError, lambda: client.chat.completions.create(model="no-such-model", messages=HELLO)
    )
    assert absent.code == "model_not_found", absent.code
    wrong = refused(BadRequestError, lambda: client.chat.completions.create(model=MODEL, messages=[]))
    assert wrong.param == "messages", wrong.body


@feature("credits")
def credits():
    poor = refused(
        APIStatusError, lambda: client.chat.completions.create(model="svc-sandbox/402", messages=HELLO)
    )
    assert (poor.status_code, poor.code) == (402, "insufficient_credits")
