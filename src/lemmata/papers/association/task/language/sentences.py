"""Inputs that end with a preposition, as the paper's appendix I.1 prints them: 30 words and 40 sentences.

The paper says that a language model wrote the sentences. They end where a noun phrase would begin.
"""

PREPOSITIONS = (
    *("about", "above", "across", "after", "against", "along", "around", "at", "before", "behind"),
    *("below", "beneath", "beside", "between", "by", "during", "for", "from", "in", "inside", "into"),
    *("near", "of", "on", "over", "through", "to", "under", "with", "without"),
)

SENTENCES = (
    "Inspired painter gazed at pristine canvas, envisioning next creation about",
    "Children's delighted squeals filled yard as they frolicked, stumbling across",
    "Singer inhaled deeply, calming nerves before gracing stage before",
    "Ominous storm clouds amassed, promising downpour that would soon roll in",
    "Awestruck trekker admired breathtaking summit vista, looking over",
    "Rich aroma of freshly roasted beans permeated cozy cafe, enticing during",
    "With deft sleight of hand, illusionist made coin vanish, leaving spectators in awe without",
    "Majestic oak stood tall, branches reaching skyward above",
    "Gentle waves caressed shoreline, soothing rhythm lulling along",
    "Meticulous investigator scoured crime scene, searching for any evidence left behind",
    "Radiant sunbeams filtered through sheer curtains, warming hardwood floor beneath",
    "Concert pianist's nimble fingers glided across ivory keys, room resonating with melody around",
    "Crickets' evening chorus filled silent field from nearby meadow during",
    "Jubilant laughter resounded down corridor as jovial group headed towards celebration without",
    "Struggling poet tapped pen restlessly, seeking words to capture elusive emotion beneath",
    "Soothing patter of raindrops danced on windowpane, inviting serene relaxation with",
    "Mouthwatering scent of fresh bread beckoned passersby into cozy bakery without",
    "Mighty waves thundered against jagged cliffs, echoing roar along rugged shoreline around",
    "Seasoned trekker carefully navigated winding trail, cautiously avoiding exposed roots and rocks beneath",
    "Graceful ballerina flowed across stage, movements blending seamlessly with melody during",
    "Crackling campfire cast dancing shadows across gathered faces around",
    "Vibrant brush strokes danced across canvas, bold hues bursting into life before",
    "Photographer framed breathtaking sunset, capturing fleeting beauty over glistening ocean without",
    "Stern librarian hushed raucous group, reminding them to stay quiet inside",
    "Ink flowed from author's pen, words brimming with raw passion as page filled during",
    "Earthy aroma of freshly steeped tea perfumed air, inviting moment of serenity along",
    "Masterful guitarist's fingers danced nimbly across strings, room alive with haunting melody around",
    "Meticulous chef artfully garnished plate, adding delicate finishing touches over",
    "Indomitable marathoner pushed through punishing final stretch, fortitude driving every stride before",
    "Engrossed scientist examined specimen's intricate structures through microscope beneath",
    "Nervous thespian steadied breathing, striding into dazzling spotlight, delivering flawless performance with",
    "Skilled artist's pencil glided gracefully, deftly capturing subject's essence without",
    "Weary hiker paused to catch breath, marveling at sweeping panorama from lofty peak above",
    "Deep in thought, writer drummed fingers, seeking perfect phrasing to convey profound emotion without",
    "Lost in reverie, violinist swayed gently, fingers dancing across delicate strings during",
    "Painter's brushstrokes burst into radiant life, canvas ablaze with vivid sunset hues over",
    "Adept photographer framed picturesque scene, preserving landscape's beauty without",
    "World-renowned chef meticulously garnished plate, each component strategically placed around",
    "Dedicated researcher scrutinized specimen under microscope, documenting minute details beneath",
    "Seasoned actor inhaled deeply, embodying character as bright lights engulfed stage with",
)
