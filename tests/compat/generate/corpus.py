def generate(client, only):
    return []
