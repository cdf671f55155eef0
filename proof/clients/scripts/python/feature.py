"""What every program of a client has: the gateway's address and key, and one line of output for each feature."""

import asyncio
import inspect
import json
import os

URL = os.environ["SVC_BASE_URL"]
V1 = URL + "/v1"
KEY = os.environ["SVC_API_KEY"]
MODEL = "svc-gpt"
# One red pixel.
PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PNG_URL = "data:image/png;base64," + PNG


def feature(name):
    """Runs the function at once, and prints whether it ended without an error."""

    def run(work):
        result = {"feature": name, "passed": True}
        try:
            done = work()
            if inspect.isawaitable(done):

                async def wait():
                    return await done

                asyncio.run(wait())
        except BaseException as error:  # a failing feature does not end the others
            result = {"feature": name, "passed": False, "why": f"{type(error).__name__}: {error}"[:1500]}
        print(json.dumps(result), flush=True)
        return work

    return run


def refused(error_type, work):
    """The error with which a call fails."""
    try:
        work()
    except error_type as error:
        return error
    raise AssertionError("the call was not refused")
