"""litellm: OpenAI's form, Anthropic's, Responses, text completion, embeddings, rerank, and media."""

import json

import litellm
from feature import KEY, MODEL, PNG_URL, URL, V1, feature, refused

litellm.suppress_debug_info = True
HELLO = [{"role": "user", "content": "Say hello."}]
at = {"api_base": V1, "api_key": KEY, "num_retries": 0, "max_retries": 0}
NAME = f"openai/{MODEL}"
TOOL = {
    "type": "function",
    "function": {
        "name": "add",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
            "required": ["a", "b"],
        },
    },
}


@feature("chat")
def chat():
    answer = litellm.completion(NAME, messages=HELLO, **at)
    assert answer.choices[0].message.content and answer.usage.total_tokens > 0


@feature("stream")
def stream():
    chunks = litellm.completion(NAME, messages=HELLO, stream=True, stream_options={"include_usage": True}, **at)
    assert litellm.stream_chunk_builder(list(chunks)).choices[0].message.content


@feature("tools")
def tools():
    messages = [{"role": "user", "content": "Use add on 2 and 3."}]
    first = litellm.completion(NAME, messages=messages, tools=[TOOL], **at).choices[0].message
    call = first.tool_calls[0]
    assert set(json.loads(call.function.arguments)) == {"a", "b"}
    messages += [first, {"role": "tool", "tool_call_id": call.id, "content": "5"}]
    assert "5" in litellm.completion(NAME, messages=messages, tools=[TOOL], **at).choices[0].message.content


@feature("schema")
def schema():
    wanted = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    form = {"type": "json_schema", "json_schema": {"name": "city", "schema": wanted}}
    answer = litellm.completion(NAME, messages=HELLO, response_format=form, **at)
    assert "name" in json.loads(answer.choices[0].message.content)


@feature("images_in")
def images_in():
    parts = [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": PNG_URL}}]
    answer = litellm.completion(NAME, messages=[{"role": "user", "content": parts}], **at)
    assert "png" in answer.choices[0].message.content.lower()


@feature("responses")
def responses():
    assert litellm.responses(model=NAME, input="Say hello.", **at).output_text


@feature("messages")
def messages():
    answer = litellm.completion(
        f"anthropic/{MODEL}", messages=HELLO, max_tokens=100, api_base=URL, api_key=KEY, num_retries=0
    )
    assert answer.choices[0].message.content


@feature("completions")
def completions():
    answer = litellm.text_completion(model=f"text-completion-openai/{MODEL}", prompt="Say hello.", max_tokens=40, **at)
    assert answer.choices[0].text


@feature("embeddings")
def embeddings():
    answer = litellm.embedding(
        "openai/text-embedding-3-small", input=["One."], encoding_format="float", api_base=V1, api_key=KEY
    )
    assert len(answer.data[0]["embedding"]) == 1536


@feature("images")
def images():
    answer = litellm.image_generation("A lighthouse.", model="openai/svc-image", api_base=V1, api_key=KEY)
    assert answer.data[0].b64_json


@feature("speech")
def speech():
    spoken = litellm.speech(
        "openai/openai/gpt-4o-mini-tts-2025-12-15", input="Hello.", voice="nova", api_base=V1, api_key=KEY
    )
    assert len(spoken.content) > 1000


@feature("rerank")
def rerank():
    documents = ["A red car.", "A green pear."]
    answer = litellm.rerank(
        model="cohere/rerank-v3.5", query="fruit pear", documents=documents, api_base=URL, api_key=KEY
    )
    assert answer.results[0]["index"] == 1


@feature("moderations")
def moderations():
    answer = litellm.moderation("How to kill a process", model="omni-moderation-latest", api_base=V1, api_key=KEY)
    assert answer.results[0].flagged


@feature("error")
def error():
    absent = refused(
        litellm.exceptions.NotFoundError, lambda: litellm.completion("openai/no-such-model", messages=HELLO, **at)
    )
    assert "no-such-model" in str(absent)


@feature("credits")
def credits():
    poor = refused(
        litellm.exceptions.APIError, lambda: litellm.completion("openai/svc-sandbox/402", messages=HELLO, **at)
    )
    assert poor.status_code == 402, poor
