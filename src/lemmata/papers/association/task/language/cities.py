"""More cities of our own, in other words than the paper's: each is asked for once, in one of four wordings by turns."""

WORDINGS = ("{} is a city in", "{} lies in", "{} can be found in", "{} is situated in")

CITIES = (
    *(
        ("Barcelona", "Spain"),
        ("Lyon", "France"),
        ("Milan", "Italy"),
        ("Munich", "Germany"),
        ("Thessaloniki", "Greece"),
    ),
    *(("Porto", "Portugal"), ("Cork", "Ireland"), ("Krakow", "Poland"), ("Salzburg", "Austria"), ("Bergen", "Norway")),
    *(("Kazan", "Russia"), ("Alexandria", "Egypt"), ("Osaka", "Japan"), ("Shanghai", "China"), ("Kolkata", "India")),
    *(
        ("Montreal", "Canada"),
        ("Melbourne", "Australia"),
        ("Cusco", "Peru"),
        ("Mombasa", "Kenya"),
        ("Zurich", "Switzerland"),
    ),
    *(("Stockholm", "Sweden"), ("Helsinki", "Finland"), ("Copenhagen", "Denmark"), ("Brussels", "Belgium")),
    *(("Budapest", "Hungary"), ("Bucharest", "Romania"), ("Sofia", "Bulgaria"), ("Kiev", "Ukraine")),
    *(("Istanbul", "Turkey"), ("Tehran", "Iran"), ("Baghdad", "Iraq"), ("Damascus", "Syria"), ("Beirut", "Lebanon")),
    *(("Amman", "Jordan"), ("Karachi", "Pakistan"), ("Dhaka", "Bangladesh"), ("Kathmandu", "Nepal")),
    *(("Bangkok", "Thailand"), ("Hanoi", "Vietnam"), ("Jakarta", "Indonesia")),
    *(("Kabul", "Afghanistan"), ("Tashkent", "Uzbekistan"), ("Geneva", "Switzerland")),
    *(("Marseille", "France"), ("Naples", "Italy"), ("Hamburg", "Germany"), ("Seville", "Spain"), ("Gdansk", "Poland")),
    *(
        ("Lagos", "Nigeria"),
        ("Accra", "Ghana"),
        ("Addis Ababa", "Ethiopia"),
        ("Casablanca", "Morocco"),
        ("Tunis", "Tunisia"),
    ),
    *(
        ("Algiers", "Algeria"),
        ("Dakar", "Senegal"),
        ("Kampala", "Uganda"),
        ("Harare", "Zimbabwe"),
        ("Luanda", "Angola"),
    ),
    *(("Buenos Aires", "Argentina"), ("Santiago", "Chile"), ("Bogota", "Colombia")),
    *(("Caracas", "Venezuela"), ("Quito", "Ecuador"), ("Montevideo", "Uruguay"), ("Sao Paulo", "Brazil")),
    *(
        ("Guadalajara", "Mexico"),
        ("Vancouver", "Canada"),
        ("Perth", "Australia"),
        ("Kyoto", "Japan"),
        ("Chennai", "India"),
    ),
    *(("Gothenburg", "Sweden"), ("Antwerp", "Belgium"), ("Izmir", "Turkey"), ("Aarhus", "Denmark")),
)
