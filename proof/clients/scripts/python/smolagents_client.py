"""smolagents: a model alone, and an agent that calls tools."""

from feature import KEY, MODEL, V1, feature, refused
from openai import APIStatusError, NotFoundError
from smolagents import OpenAIModel, Tool, ToolCallingAgent


def model(name=MODEL):
    return OpenAIModel(model_id=name, api_base=V1, api_key=KEY, client_kwargs={"max_retries": 0})


HELLO = [{"role": "user", "content": [{"type": "text", "text": "Say hello."}]}]


class Note(Tool):
    name = "answer_note"
    description = "Takes a note."
    inputs = {"text": {"type": "string", "description": "The note."}}
    output_type = "string"

    def forward(self, text: str) -> str:
        return "4217"


@feature("chat")
def chat():
    assert model().generate(HELLO).content


@feature("stream")
def stream():
    assert "".join(delta.content or "" for delta in model().generate_stream(HELLO))


@feature("tools")
def tools():
    agent = ToolCallingAgent(tools=[Note()], model=model(), max_steps=1, verbosity_level=0)
    agent.run("Use answer_note.")
    assert any("4217" in str(getattr(step, "observations", "")) for step in agent.memory.steps)


@feature("error")
def error():
    assert refused(NotFoundError, lambda: model("no-such-model").generate(HELLO)).code == "model_not_found"


@feature("credits")
def credits():
    poor = refused(APIStatusError, lambda: model("svc-sandbox/402").generate(HELLO))
    assert (poor.status_code, poor.code) == (402, "insufficient_credits")
