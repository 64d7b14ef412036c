"""A thin client of ebb's HTTP API, with nothing but the standard library.

    ebb token add example --user ada --as host      # prints the token
    ebb serve                                       # in another terminal
    EBB_TOKEN=ebb_... python3 ebb.py

With --as host the messages of role "user" are the user's own words. docs/SERVE.md
describes the API, and /v1/openapi.json each field.
"""

import json
import os
import urllib.error
import urllib.request


class Ebb:
    """The memory of one user: the token says whose."""

    def __init__(self, url, token):
        self.url, self.token = url.rstrip("/"), token

    def record(self, session, *turns):
        """Stores messages of a conversation. The same id is stored once."""
        return self._post("/v1/turns", {"session": session, "turns": list(turns)})["accepted"]

    def context(self, session, question):
        """The text to put before the model; empty if nothing may help."""
        return self._post("/v1/context", {"session": session, "question": question})["block"]

    def search(self, query, limit=10):
        return self._post("/v1/search", {"query": query, "limit": limit})["results"]

    def remember(self, sentence):
        return self._post("/v1/facts", {"content": sentence})["change"]

    def _post(self, path, body):
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), {
            "Authorization": "Bearer " + self.token,
            "Content-Type": "application/json",
        })
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                raise RuntimeError(f"{path}: {error.code} {error.read().decode()}") from None


def main():
    token = os.environ.get("EBB_TOKEN")
    if not token:
        raise SystemExit("set EBB_TOKEN to a token of `ebb token add`")
    memory = Ebb(os.environ.get("EBB_URL", "http://127.0.0.1:7411"), token)
    memory.record(
        "monday",
        {"role": "user", "text": "I'm allergic to cashews.", "id": "python-1"},
        {"role": "assistant", "text": "Noted.", "id": "python-2"},
    )
    print("remember:", memory.remember("I live in Ghent."))
    print("search:", memory.search("allergic", limit=1)[0]["memory"]["content"])
    print("context:", memory.context("tuesday", "Shall I order the cashew curry?"))


if __name__ == "__main__":
    main()
