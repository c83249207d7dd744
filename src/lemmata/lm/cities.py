"""Cities and their countries: what a map asks unless it is given other questions."""

CITIES = (
    *(("Madrid", "Spain"), ("Paris", "France"), ("Rome", "Italy"), ("Berlin", "Germany"), ("Athens", "Greece")),
    *(("Lisbon", "Portugal"), ("Dublin", "Ireland"), ("Warsaw", "Poland"), ("Vienna", "Austria"), ("Oslo", "Norway")),
    *(("Moscow", "Russia"), ("Cairo", "Egypt"), ("Tokyo", "Japan"), ("Beijing", "China"), ("Mumbai", "India")),
    *(("Toronto", "Canada"), ("Sydney", "Australia"), ("Lima", "Peru"), ("Nairobi", "Kenya"), ("Havana", "Cuba")),
)


def where_is(city: str) -> str:
    """A prompt that the name of a country ends."""
    return f"{city} is located in"
