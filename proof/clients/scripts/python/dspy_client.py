"""dspy: a model alone, a signature as JSON, embeddings."""

import dspy
from feature import KEY, MODEL, V1, feature


def model(name=MODEL, **more):
    return dspy.LM(f"openai/{name}", api_base=V1, api_key=KEY, cache=False, num_retries=0, **more)


@feature("chat")
def chat():
    assert model()("Say hello.")[0]


@feature("schema")
def schema():
    # It asks for a schema only where its own table knows the model to take one.
    with dspy.context(lm=model("gpt-5.3-codex"), adapter=dspy.JSONAdapter()):
        assert dspy.Predict("question -> answer: str, inhabitants: int")(question="Say hello.").answer is not None


@feature("responses")
def responses():
    assert model(model_type="responses")("Say hello.")[0]


@feature("completions")
def completions():
    assert dspy.LM(
        f"text-completion-openai/{MODEL}", model_type="text", api_base=V1, api_key=KEY, cache=False
    )("Say hello.")[0]


@feature("embeddings")
def embeddings():
    embedder = dspy.Embedder(
        "openai/text-embedding-3-small", api_base=V1, api_key=KEY, caching=False, encoding_format="float"
    )
    assert embedder(["One.", "Two."]).shape == (2, 1536)


def failure(name):
    try:
        model(name)("Say hello.")
    except Exception as error:
        return str(error)
    raise AssertionError("the call was not refused")


@feature("error")
def error():
    said = failure("no-such-model")
    assert "no-such-model" in said, said


@feature("credits")
def credits():
    said = failure("svc-sandbox/402")
    assert "credits" in said, said
