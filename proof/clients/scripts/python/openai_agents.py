"""openai-agents for Python: a loop over Responses and one over chat."""

from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from feature import KEY, MODEL, PNG_URL, V1, feature
from openai import APIStatusError, AsyncOpenAI, NotFoundError
from pydantic import BaseModel

set_tracing_disabled(True)


class City(BaseModel):
    name: str
    inhabitants: int


@function_tool
def add(a: float, b: float) -> str:
    """Adds two numbers."""
    return "4217"


def agent(name=MODEL, kind=OpenAIChatCompletionsModel, **more):
    client = AsyncOpenAI(base_url=V1, api_key=KEY, max_retries=0)
    return Agent(name="Tester", model=kind(model=name, openai_client=client), **more)


@feature("chat")
async def chat():
    assert (await Runner.run(agent(), "Say hello.")).final_output


@feature("stream")
async def stream():
    result = Runner.run_streamed(agent(), "Say hello.")
    kinds = {event.type async for event in result.stream_events()}
    assert "raw_response_event" in kinds and result.final_output


@feature("tools")
async def tools():
    assert "4217" in (await Runner.run(agent(tools=[add]), "Use add on 2 and 3.")).final_output


@feature("schema")
async def schema():
    assert isinstance((await Runner.run(agent(output_type=City), "Say hello.")).final_output, City)


@feature("images_in")
async def images_in():
    parts = [{"type": "input_text", "text": "What is it?"}, {"type": "input_image", "image_url": PNG_URL}]
    result = await Runner.run(agent(), [{"role": "user", "content": parts}])
    assert "png" in result.final_output.lower()


@feature("responses")
async def responses():
    served = agent(kind=OpenAIResponsesModel, tools=[add])
    assert "4217" in (await Runner.run(served, "Use add on 2 and 3.")).final_output
    result = Runner.run_streamed(served, "Use add on 2 and 3.")
    async for _ in result.stream_events():
        pass
    assert "4217" in result.final_output


@feature("error")
async def error():
    try:
        await Runner.run(agent("no-such-model"), "Say hello.")
    except NotFoundError as absent:
        assert absent.code == "model_not_found"
    else:
        raise AssertionError("the call was not refused")


@feature("credits")
async def credits():
    try:
        await Runner.run(agent("svc-sandbox/402"), "Say hello.")
    except APIStatusError as poor:
        assert (poor.status_code, poor.code) == (402, "insufficient_credits")
    else:
        raise AssertionError("the call was not refused")
