"""pydantic-ai: agents over chat and over Responses."""

import base64

from feature import KEY, MODEL, PNG, V1, feature, refused
from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, NativeOutput
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

provider = OpenAIProvider(base_url=V1, api_key=KEY)


def model(name=MODEL):
    return OpenAIChatModel(name, provider=provider)


class City(BaseModel):
    name: str
    inhabitants: int


@feature("chat")
def chat():
    result = Agent(model()).run_sync("Say hello.")
    assert result.output


@feature("stream")
async def stream():
    async with Agent(model()).run_stream("Say hello.") as result:
        parts = [part async for part in result.stream_text(delta=True)]
    assert "".join(parts)


@feature("tools")
def tools():
    called = []
    agent = Agent(model())

    @agent.tool_plain
    def add(a: float, b: float) -> float:
        """Adds two numbers."""
        called.append((a, b))
        return 4217

    assert "4217" in agent.run_sync("Use add on 2 and 3.").output and len(called) == 1


@feature("schema")
def schema():
    assert isinstance(Agent(model(), output_type=City).run_sync("Say hello.").output, City)
    assert isinstance(Agent(model(), output_type=NativeOutput(City)).run_sync("Say hello.").output, City)


@feature("images_in")
def images_in():
    image = BinaryContent(data=base64.b64decode(PNG), media_type="image/png")
    assert "png" in Agent(model()).run_sync(["What is it?", image]).output.lower()


@feature("responses")
def responses():
    agent = Agent(OpenAIResponsesModel(MODEL, provider=provider))

    @agent.tool_plain
    def add(a: float, b: float) -> float:
        """Adds two numbers."""
        return 4217

    assert "4217" in agent.run_sync("Use add on 2 and 3.").output


@feature("error")
def error():
    absent = refused(ModelHTTPError, lambda: Agent(model("no-such-model")).run_sync("Say hello."))
    assert absent.status_code == 404 and absent.body["code"] == "model_not_found", absent.body


@feature("credits")
def credits():
    poor = refused(ModelHTTPError, lambda: Agent(model("svc-sandbox/402")).run_sync("Say hello."))
    assert poor.status_code == 402 and poor.body["code"] == "insufficient_credits", poor.body
