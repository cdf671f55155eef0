"""instructor: values by tools, by JSON schema, and streamed in parts."""

import instructor
from feature import KEY, MODEL, V1, feature
from openai import OpenAI
from pydantic import BaseModel

client = OpenAI(base_url=V1, api_key=KEY, max_retries=0)
HELLO = [{"role": "user", "content": "Say hello."}]


class City(BaseModel):
    name: str
    inhabitants: int


def ask(mode, model=MODEL):
    wrapped = instructor.from_openai(client, mode=mode)
    return wrapped.chat.completions.create(model=model, messages=HELLO, response_model=City, max_retries=1)


@feature("tools")
def tools():
    assert isinstance(ask(instructor.Mode.TOOLS), City)


@feature("schema")
def schema():
    assert isinstance(ask(instructor.Mode.JSON_SCHEMA), City)


@feature("stream")
def stream():
    wrapped = instructor.from_openai(client)
    parts = list(wrapped.chat.completions.create_partial(model=MODEL, messages=HELLO, response_model=City))
    assert isinstance(parts[-1].inhabitants, int)


@feature("responses")
def responses():
    assert isinstance(ask(instructor.Mode.RESPONSES_TOOLS), City)


def failure(model):
    try:
        ask(instructor.Mode.TOOLS, model)
    except Exception as error:
        return str(error)
    raise AssertionError("the call was not refused")


@feature("error")
def error():
    assert "model_not_found" in failure("no-such-model")


@feature("credits")
def credits():
    assert "insufficient_credits" in failure("svc-sandbox/402")
