"""llm: its command line with a model of the file extra-openai-models.yaml, as its documentation shows."""

import json
import os
import pathlib
import subprocess
import sys

from feature import KEY, MODEL, V1, feature

home = pathlib.Path(os.environ["HOME"]) / "llm"
home.mkdir(parents=True, exist_ok=True)
rows = "\n".join(
    f"- {{model_id: {name}, model_name: {model}, api_base: '{V1}', api_key_name: svc, "
    "supports_tools: true, supports_schema: true, vision: true}"
    for name, model in [("svc", MODEL), ("absent", "no-such-model"), ("poor", "svc-sandbox/402")]
)
(home / "extra-openai-models.yaml").write_text(rows + "\n")


def llm(*words, ends=0):
    env = {**os.environ, "LLM_USER_PATH": str(home)}
    program = [str(pathlib.Path(sys.executable).parent / "llm"), *words, "--key", KEY]
    ran = subprocess.run(program, env=env, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    assert ran.returncode == ends, ran.stderr
    return ran.stdout + ran.stderr


@feature("chat")
def chat():
    assert llm("-m", "svc", "--no-stream", "Say hello.").strip()


@feature("stream")
def stream():
    assert llm("-m", "svc", "Say hello.").strip()


@feature("tools")
def tools():
    functions = 'def add(a: float, b: float) -> str:\n    "Adds two numbers."\n    return "4217"'
    assert "4217" in llm("-m", "svc", "--functions", functions, "Use add on 2 and 3.")


@feature("schema")
def schema():
    assert "name" in json.loads(llm("-m", "svc", "--no-stream", "--schema", "name, inhabitants int", "Say hello."))


@feature("images_in")
def images_in():
    import base64

    from feature import PNG

    picture = home / "pixel.png"
    picture.write_bytes(base64.b64decode(PNG))
    assert "png" in llm("-m", "svc", "-a", str(picture), "What is it?").lower()


@feature("error")
def error():
    assert "no-such-model" in llm("-m", "absent", "Say hello.", ends=1)


@feature("credits")
def credits():
    assert "credits" in llm("-m", "poor", "Say hello.", ends=1)
