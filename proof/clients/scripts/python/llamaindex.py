"""LlamaIndex: OpenAILike for chat and text completion, OpenAILikeEmbedding."""

from feature import KEY, MODEL, PNG_URL, V1, feature, refused
from llama_index.core.llms import ChatMessage, ImageBlock, TextBlock
from llama_index.core.tools import FunctionTool
from llama_index.embeddings.openai_like import OpenAILikeEmbedding
from llama_index.llms.openai_like import OpenAILike
from openai import APIStatusError, NotFoundError
from pydantic import BaseModel

at = {"api_base": V1, "api_key": KEY, "max_retries": 0}
chat_at = {**at, "is_chat_model": True, "is_function_calling_model": True}
model = OpenAILike(model=MODEL, **chat_at)


class City(BaseModel):
    """A city."""

    name: str
    inhabitants: int


@feature("chat")
def chat():
    assert model.chat([ChatMessage("Say hello.")]).message.content


@feature("stream")
def stream():
    assert "".join(part.delta or "" for part in model.stream_chat([ChatMessage("Say hello.")]))


@feature("tools")
def tools():
    def add(a: float, b: float) -> float:
        """Adds two numbers."""
        return a + b

    offered = [FunctionTool.from_defaults(add)]
    asked = ChatMessage("Use add on 2 and 3.")
    first = model.chat_with_tools(offered, user_msg=asked)
    call = model.get_tool_calls_from_response(first)[0]
    assert set(call.tool_kwargs) == {"a", "b"}
    result = ChatMessage(role="tool", content="5", additional_kwargs={"tool_call_id": call.tool_id})
    last = model.chat_with_tools(offered, chat_history=[asked, first.message, result])
    assert "5" in last.message.content


@feature("schema")
def schema():
    assert isinstance(model.as_structured_llm(City).complete("Say hello.").raw, City)


@feature("images_in")
def images_in():
    asked = ChatMessage(role="user", blocks=[TextBlock(text="What is it?"), ImageBlock(url=PNG_URL)])
    assert "png" in model.chat([asked]).message.content.lower()


@feature("completions")
def completions():
    other = OpenAILike(model=MODEL, is_chat_model=False, **at)
    assert other.complete("Say hello.").text
    assert "".join(part.delta or "" for part in other.stream_complete("Say hello."))


@feature("embeddings")
def embeddings():
    embedding = OpenAILikeEmbedding(model_name="text-embedding-3-small", **at)
    assert len(embedding.get_text_embedding("A red apple.")) == 1536


@feature("error")
def error():
    absent = refused(
        NotFoundError, lambda: OpenAILike(model="no-such-model", **chat_at).chat([ChatMessage("Hi")])
    )
    assert absent.code == "model_not_found"


@feature("credits")
def credits():
    poor = refused(
        APIStatusError, lambda: OpenAILike(model="svc-sandbox/402", **chat_at).chat([ChatMessage("Hi")])
    )
    assert (poor.status_code, poor.code) == (402, "insufficient_credits")
