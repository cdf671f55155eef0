"""langchain-openai for Python."""

from feature import KEY, MODEL, PNG_URL, V1, feature, refused
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAI, OpenAIEmbeddings
from openai import APIStatusError, NotFoundError
from pydantic import BaseModel

at = {"base_url": V1, "api_key": KEY, "max_retries": 0}
model = ChatOpenAI(model=MODEL, **at)


class City(BaseModel):
    name: str
    inhabitants: int


@tool
def add(a: float, b: float) -> float:
    """Adds two numbers."""
    return a + b


@feature("chat")
def chat():
    answer = model.invoke("Say hello.")
    assert answer.content and answer.usage_metadata["total_tokens"] > 0


@feature("stream")
def stream():
    chunks = list(model.stream("Say hello.", stream_usage=True))
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole += chunk
    assert whole.content and whole.usage_metadata["total_tokens"] > 0


@feature("tools")
def tools():
    bound = model.bind_tools([add])
    messages = [HumanMessage("Use add on 2 and 3.")]
    first = bound.invoke(messages)
    call = first.tool_calls[0]
    assert set(call["args"]) == {"a", "b"}
    last = bound.invoke([*messages, first, ToolMessage("5", tool_call_id=call["id"])])
    assert "5" in last.content


@feature("schema")
def schema():
    assert isinstance(model.with_structured_output(City).invoke("Say hello."), City)


@feature("images_in")
def images_in():
    parts = [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": PNG_URL}}]
    assert "png" in model.invoke([HumanMessage(parts)]).content.lower()


@feature("responses")
def responses():
    other = ChatOpenAI(model=MODEL, use_responses_api=True, **at)
    assert other.invoke("Say hello.").text
    assert "".join(chunk.text for chunk in other.stream("Say hello."))


@feature("completions")
def completions():
    assert OpenAI(model=MODEL, **at).invoke("Say hello.")


@feature("embeddings")
def embeddings():
    # With it the client fetches a vocabulary from a server of its own before it asks.
    vectors = OpenAIEmbeddings(model="text-embedding-3-small", check_embedding_ctx_length=False, **at).embed_documents(["One.", "Two."])
    assert [len(vector) for vector in vectors] == [1536, 1536]


@feature("error")
def error():
    absent = refused(NotFoundError, lambda: ChatOpenAI(model="no-such-model", **at).invoke("Say hello."))
    assert absent.code == "model_not_found"


@feature("credits")
def credits():
    poor = refused(APIStatusError, lambda: ChatOpenAI(model="svc-sandbox/402", **at).invoke("Say hello."))
    assert (poor.status_code, poor.code) == (402, "insufficient_credits")
