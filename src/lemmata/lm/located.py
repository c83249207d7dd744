"""Questions that any model can be asked: where a city is. The word after "in" is a country, or "the"."""

LOCATED = {
    "Madrid": "Spain",
    "Paris": "France",
    "Rome": "Italy",
    "Berlin": "Germany",
    "Athens": "Greece",
    "Lisbon": "Portugal",
    "Dublin": "Ireland",
    "Warsaw": "Poland",
    "Vienna": "Austria",
    "Oslo": "Norway",
    "Moscow": "Russia",
    "Cairo": "Egypt",
    "Tokyo": "Japan",
    "Beijing": "China",
    "Mumbai": "India",
    "Toronto": "Canada",
    "Sydney": "Australia",
    "Lima": "Peru",
    "Nairobi": "Kenya",
    "Havana": "Cuba",
}


def located_prompts() -> list[tuple[str, str]]:
    """(prompt, answer), the answer with the space before it."""
    return [(f"{city} is located in", f" {country}") for city, country in LOCATED.items()]
