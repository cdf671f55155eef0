"""cohere for Python: rerank in both of its versions."""

import cohere
from cohere.core.api_error import ApiError
from feature import KEY, URL, feature, refused

DOCUMENTS = ["A red car.", "A green pear."]


@feature("rerank")
def rerank():
    for client in (cohere.ClientV2(api_key=KEY, base_url=URL), cohere.Client(api_key=KEY, base_url=URL)):
        answer = client.rerank(model="rerank-v3.5", query="fruit pear", documents=DOCUMENTS, top_n=1)
        assert [result.index for result in answer.results] == [1]


def failure(model):
    client = cohere.ClientV2(api_key=KEY, base_url=URL)
    return refused(ApiError, lambda: client.rerank(model=model, query="fruit", documents=DOCUMENTS))


@feature("error")
def error():
    absent = failure("no-such-model")
    assert (absent.status_code, absent.body["error"]["code"]) == (404, "model_not_found"), absent.body


@feature("credits")
def credits():
    poor = failure("svc-sandbox/rerank-402")
    assert (poor.status_code, poor.body["error"]["code"]) == (402, "insufficient_credits"), poor.body
