"""anthropic for Python."""

from anthropic import Anthropic, APIStatusError, NotFoundError
from feature import KEY, MODEL, PNG, URL, feature, refused
from pydantic import BaseModel

client = Anthropic(base_url=URL, api_key=KEY, max_retries=0)
HELLO = [{"role": "user", "content": "Say hello."}]
TOOL = {
    "name": "add",
    "description": "Adds two numbers.",
    "input_schema": {
        "type": "object",
        "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
        "required": ["a", "b"],
    },
}


class City(BaseModel):
    name: str
    inhabitants: int


@feature("messages")
def messages():
    message = client.messages.create(model=MODEL, max_tokens=200, messages=HELLO)
    assert message.content[0].text and message.stop_reason == "end_turn" and message.usage.output_tokens > 0
    assert client.messages.count_tokens(model=MODEL, messages=HELLO).input_tokens > 0


@feature("stream")
def stream():
    with client.messages.stream(model=MODEL, max_tokens=200, messages=HELLO) as events:
        assert "".join(events.text_stream)
        assert events.get_final_message().stop_reason == "end_turn"


@feature("tools")
def tools():
    asked = [{"role": "user", "content": "Use add on 2 and 3."}]
    first = client.messages.create(model=MODEL, max_tokens=200, messages=asked, tools=[TOOL])
    assert first.stop_reason == "tool_use"
    call = next(block for block in first.content if block.type == "tool_use")
    assert set(call.input) == {"a", "b"}
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "5"}
    asked += [{"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
    last = client.messages.create(model=MODEL, max_tokens=200, messages=asked, tools=[TOOL])
    assert "5" in last.content[0].text


@feature("schema")
def schema():
    message = client.messages.parse(model=MODEL, max_tokens=200, messages=HELLO, output_format=City)
    assert isinstance(message.parsed_output, City)


@feature("images_in")
def images_in():
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    asked = [{"role": "user", "content": [image, {"type": "text", "text": "What is it?"}]}]
    message = client.messages.create(model=MODEL, max_tokens=200, messages=asked)
    assert "png" in message.content[0].text.lower()


@feature("models")
def models():
    page = client.models.list(limit=1000)
    assert MODEL in {model.id for model in page} and page.data[0].display_name


@feature("error")
def error():
    absent = refused(
        NotFoundError, lambda: client.messages.create(model="no-such-model", max_tokens=9, messages=HELLO)
    )
    assert absent.body["error"]["code"] == "model_not_found", absent.body


@feature("credits")
def credits():
    poor = refused(
        APIStatusError, lambda: client.messages.create(model="svc-sandbox/402", max_tokens=9, messages=HELLO)
    )
    assert poor.status_code == 402 and poor.body["error"]["code"] == "insufficient_credits"
